"""What every page owes its readers: colours that can be read, from one file; words for every refusal."""

import re
from pathlib import Path

import pytest
from django.test import Client
from filling import text_of

ROOT = Path(__file__).resolve().parents[3]
CSS = ROOT / "runs/static/runs/css"
TOKENS = dict(re.findall(r"--([a-z-]+): light-dark\((#\w{6}, #\w{6})\)", (CSS / "tokens.css").read_text()))
TEXT = ["ink", "soft", "accent", "queued", "running", "waiting", "succeeded", "failed", "canceled"]
CODE = ["code-keyword", "code-string", "code-number", "code-comment"]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def mixed(colour: str, share: float, ground: str) -> str:
    """As color-mix(in srgb, colour share, ground)."""
    pairs = ((int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(scheme: int) -> None:
    colours = {name: pair.split(", ")[scheme] for name, pair in TOKENS.items()}
    assert {*TEXT, *CODE, "ground", "surface", "raised"} <= set(colours)
    weak = [(t, g) for t in TEXT for g in ("ground", "surface", "raised") if contrast(colours[t], colours[g]) < 4.5]
    weak += [(t, "surface") for t in CODE if contrast(colours[t], colours["surface"]) < 4.5]
    weak += [(t, "its tint") for t in TEXT if contrast(colours[t], mixed(colours[t], 0.1, colours["surface"])) < 4.5]
    weak += [("on-accent", "accent")] if contrast(colours["on-accent"], colours["accent"]) < 4.5 else []
    weak += [("edge", g) for g in ("ground", "surface") if contrast(colours["edge"], colours[g]) < 3]
    assert weak == []


def test_no_colour_is_named_outside_the_tokens() -> None:
    for path in [*CSS.glob("*.css"), *(CSS.parent / "js").rglob("*.js")]:
        if path.name != "tokens.css":
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?=[;\s,)])|\b(rgb|hsl|oklch)a?\(", path.read_text()), path.name


def test_every_custom_property_that_is_used_is_set_somewhere() -> None:
    text = "\n".join(path.read_text() for path in CSS.glob("*.css"))
    used, given = set(re.findall(r"var\(--([a-z-]+)", text)), set(re.findall(r"--([a-z-]+):", text))
    assert used - given == set()


def test_a_form_that_is_too_large_is_told(browser: Client) -> None:
    answer = browser.post("/runs/new", {"source": "x" * 3_000_000})
    assert answer.status_code == 400
    assert "Nothing was changed" in text_of(answer.content.decode())


def test_a_fault_of_the_server_has_a_page_that_needs_no_database(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("runs.finding.find", broken)
    browser.raise_request_exception = False
    answer = browser.get("/runs/")
    assert answer.status_code == 500
    html = answer.content.decode()
    assert "Something broke on our side" in html
    assert "secret detail" not in html


def test_pages_have_a_skip_link_a_language_and_one_heading(browser: Client) -> None:
    for path in ("/runs/", "/runs/new", "/password/"):
        html = browser.get(path).content.decode()
        assert '<html lang="en">' in html
        assert '<a class="skip" href="#main">' in html
        assert html.count("<h1") == 1
        for tag, field in re.findall(r'(<(?:input|select|textarea) [^>]*\bid="([^"]+)"[^>]*>)', html):
            if 'type="hidden"' in tag:
                continue
            assert f'for="{field}"' in html or field in ("id_children", "id_mine"), field
