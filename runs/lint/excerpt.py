"""The lines around a place in a script, as text: for a finding, and for an error that names a line."""

from .source import LINE_END

WIDEST = 160


def excerpt(source: str, line: int, context: int = 2) -> str:
    """Lines `line - context` to `line + context` (1-based), numbered, the asked one marked with `>`.

    Lines longer than 160 characters are cut. A line that the source does not have gives an empty string.
    """
    lines = LINE_END.split(source)
    if not 1 <= line <= len(lines):
        return ""
    first, last = max(1, line - context), min(len(lines), line + context)
    width = len(str(last))
    return "\n".join(
        f"{'>' if number == line else ' '} {number:>{width}} | {_shown(lines[number - 1])}".rstrip()
        for number in range(first, last + 1)
    )


def _shown(text: str) -> str:
    text = text.removeprefix("\ufeff")
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
