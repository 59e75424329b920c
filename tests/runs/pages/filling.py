"""Forms as a browser without JavaScript reads them: the fields of a page with what they hold, and its text."""

import re
from html import unescape
from html.parser import HTMLParser


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "textarea" and name:
            self.area = name
            self.found[name] = ""
        elif tag == "input" and name and ("checked" in given or given.get("type") not in ("radio", "checkbox")):
            self.found[name] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.area:  # a browser drops the line end right after the tag
            self.found[self.area] += data if self.found[self.area] else data.removeprefix("\n")


def fields_of(html: str) -> dict[str, str]:
    """What sending the forms of the page as they are would send."""
    parser = _Fields()
    parser.feed(html.partition("<main")[2])
    return parser.found


def text_of(html: str) -> str:
    """What a person reads in the main part."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html.partition("<main")[2])))
