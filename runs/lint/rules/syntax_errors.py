"""Syntax errors: one finding per broken region, the first of them at the very token that fits nothing."""

from collections.abc import Iterator
from itertools import islice

from runs.lint.brackets import innermost_open
from runs.lint.finding import Finding
from runs.lint.first_error import IN_STRING, FirstError, first_error
from runs.lint.script import Script
from runs.lint.syntax import ROOT, Tree

# Those after the first are often its echo.
MOST = 10
LONGEST_QUOTE = 30
CLOSERS = {"(": ")", "[": "]", "{": "}", "${": "}"}
EXPRESSION = frozenset({"identifier", "number", "this"})
NEVER_MEANT = frozenset({"comment", "html_comment", "end"})
BROKEN_STRING = (
    "The string breaks off here. Close its quote on the same line (a template in backticks may span lines), and write "
    "only escapes such as `\\n` or `\\u0041`."
)
TYPESCRIPT_WORDS = frozenset({"interface", "enum", "type", "namespace", "declare", "abstract"})


def syntax_errors(script: Script) -> Iterator[Finding]:
    """Rule `syntax-error`, for a source that the parser could not read as a whole."""
    if script.tree.is_broken:
        told = list(_regions(script))
        yield from told or [_told_at_all(script)]


def _regions(script: Script) -> Iterator[Finding]:
    regions = list(islice(_broken(script.tree), MOST))
    precise = _precisely(script, regions[0]) if regions else None
    if precise is not None:
        yield _told_precisely(script, precise)
        # Whatever began before that token is the region that it is the cause of.
        regions = [node for node in regions[1:] if script.tree.start[node] > precise.byte]
    for node in regions:
        yield _told_by_tree(script, node)


def _broken(tree: Tree) -> Iterator[int]:
    """The outermost ERROR nodes and the missing tokens outside of them, in order."""
    missing = set(tree.missing)
    node = 0
    while node < len(tree):
        if tree.kind[node] == "ERROR":
            yield node
            node = tree.after[node]
            continue
        if node in missing:
            yield node
        node += 1


def _precisely(script: Script, region: int) -> FirstError | None:
    tree = script.tree
    statement = region
    while statement != ROOT and tree.parent[statement] != ROOT:
        statement = tree.parent[statement]
    # The parser can start afresh at any top-level statement, unless it found none.
    start = 0 if tree.kind[ROOT] == "ERROR" else tree.start[statement]
    return first_error(script.source.data, start, tree.end[region])


def _told_precisely(script: Script, error: FirstError) -> Finding:
    data = script.source.data
    opened = innermost_open(script.tree, error.byte)
    if error.byte >= len(data):
        if opened is None:
            message = f"The source ends too early: expected {_expected(error, '', None)}."
        else:
            token, line = script.tree.text(opened), script.source.position(script.tree.start[opened])[0]
            message = f"The source ends before the `{token}` of line {line} is closed. Write the `{CLOSERS[token]}`."
        return script.finding("error", "syntax-error", message, len(data), len(data))
    end = _token_end(script.tree, error.byte)
    if IN_STRING in error.expected:
        return script.finding("error", "syntax-error", BROKEN_STRING, error.byte, end)
    token = _quote(script.source.slice(error.byte, end))
    hint = _typescript_hint(script, error.byte, token)
    expected = _expected(error, token, script.tree.text(opened) if opened is not None else None)
    return script.finding("error", "syntax-error", f"Unexpected `{token}`: expected {expected}.{hint}", error.byte, end)


def _told_at_all(script: Script) -> Finding:
    end = len(script.source.data)
    message = "The source cannot be read as JavaScript: there are too many errors in it to tell one from the others."
    return script.finding("error", "syntax-error", message, end, end)


def _told_by_tree(script: Script, node: int) -> Finding:
    tree = script.tree
    if tree.kind[node] != "ERROR":
        return script.error(node, "syntax-error", f"Expected `{tree.kind[node].strip(chr(39))}` here.")
    inner = next((child for child in range(node + 1, tree.after[node]) if tree.after[child] == child + 1), node)
    message = f"Unexpected `{_quote(tree.text(inner))}`: this is no valid JavaScript from here on."
    return script.error(inner, "syntax-error", message)


def _expected(error: FirstError, token: str, opened: str | None) -> str:
    wanted = error.expected - {token}
    if wanted >= EXPRESSION and "(" in wanted:
        return "a statement" if "if" in wanted else "an expression"
    ends_statement = ";" in wanted or "_automatic_semicolon" in wanted
    closer = CLOSERS.get(opened or "")
    if closer in wanted and not (ends_statement and closer == "}"):
        return f"`,` or `{closer}`" if "," in wanted else f"`{closer}`"
    if ends_statement:
        return "`;`" if opened == "(" else "`;` or a new line before it"
    if "identifier" in wanted:
        return "a name"
    tokens = sorted(name for name in wanted if not name.startswith("_") and name not in NEVER_MEANT)
    return " or ".join(f"`{name}`" for name in tokens[:3]) or "something else"


def _typescript_hint(script: Script, byte: int, token: str) -> str:
    words = script.source.slice(max(0, byte - LONGEST_QUOTE), byte).split()
    if token in (":", "as") or (words and words[-1] in TYPESCRIPT_WORDS):
        return " Type annotations are TypeScript; a script is plain JavaScript."
    return ""


def _token_end(tree: Tree, byte: int) -> int:
    """Where the leaf that starts at a byte ends; one byte further where no leaf starts."""
    for node in range(len(tree)):
        if tree.start[node] == byte < tree.end[node] and tree.after[node] == node + 1:
            return tree.end[node]
    return len(tree.source.slice(byte, byte + 4)[:1].encode()) + byte


def _quote(text: str) -> str:
    line = text.split("\n")[0].strip()
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"
