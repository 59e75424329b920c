"""Characters that no script may hold, because the engine cannot be given them: NUL and half a surrogate pair."""

from collections.abc import Iterator

from runs.lint.finding import Finding
from runs.lint.script import Script
from runs.lint.source import UNPARSABLE


def unparsable_text(script: Script) -> Iterator[Finding]:
    """The first of each of the two; the parser sees a space in their place."""
    told = set()
    for match in UNPARSABLE.finditer(script.source.text):
        if match[0] == "\0":
            rule, what, instead = "nul-character", "a NUL character (U+0000)", "write `\\0` in a string"
        else:
            rule, what = "lone-surrogate", f"half of a surrogate pair (U+{ord(match[0]):04X})"
            instead = f"write `\\u{ord(match[0]):04x}` in a string"
        if rule in told:
            continue
        told.add(rule)
        start = len(UNPARSABLE.sub(" ", script.source.text[: match.start()]).encode())
        message = f"The source holds {what}, which no script may. Remove it; if it is meant, {instead}."
        yield script.finding("error", rule, message, start, start + 1)
        if len(told) == 2:
            return
