"""Calls of ctx that lose something: a promise that nobody awaits, and a method that ctx does not have."""

from collections.abc import Iterator

from runs.lint.ctx import DURATIONS, KNOWN, PROMISES, ctx_calls_in, ctx_uses
from runs.lint.finding import Finding
from runs.lint.nearest import did_you_mean
from runs.lint.script import Script
from runs.lint.syntax import Tree

UNAWAITED = (
    "Nobody awaits `{shown}(...)`: the script goes on before it is done, and its error and its result are lost. Write "
    "`await {shown}(...)`."
)
IDLE_DURATION = (
    "`{shown}(...)` is a duration and does not wait by itself. Write `await {shown}(...)`, or pass it to ctx.sleep."
)
UNKNOWN = "ctx has no `{name}`.{near} It has: {known}."
SHOWN_KNOWN = ", ".join(sorted(KNOWN))
# Deeper than anyone writes; a bound, because every call climbs.
HIGHEST_CLIMB = 50
KEEPS_VALUE = frozenset({"parenthesized_expression", "ternary_expression", "sequence_expression", "binary_expression"})


def ctx_calls(script: Script) -> Iterator[Finding]:
    """Rules `unawaited-ctx-call` and `unknown-ctx-method`, both warnings."""
    for use in ctx_uses(script):
        if use.name not in KNOWN:
            near = did_you_mean(use.name, KNOWN)
            message = UNKNOWN.format(name=use.name, near=near, known=SHOWN_KNOWN)
            yield script.warning(use.key, "unknown-ctx-method", message)
    for use, call in ctx_calls_in(script):
        if use.name in PROMISES | DURATIONS and is_dropped(script.tree, call):
            message = UNAWAITED if use.name in PROMISES else IDLE_DURATION
            yield script.warning(call, "unawaited-ctx-call", message.format(shown=use.shown))


def is_dropped(tree: Tree, node: int) -> bool:
    """Whether the value of an expression goes nowhere: it ends as a statement, or in a `forEach` that ignores it."""
    for _ in range(HIGHEST_CLIMB):
        parent = tree.parent[node]
        kind = tree.kind[parent]
        if kind == "expression_statement":
            return True
        if kind == "sequence_expression" and tree.after[node] != tree.after[parent]:
            return True
        if kind == "arrow_function" and tree.field[node] == "body":
            return _is_for_each_callback(tree, parent)
        if kind not in KEEPS_VALUE or tree.field[node] in ("condition", "left"):
            return False
        if kind == "binary_expression" and not any(tree.has(parent, token) for token in ("'&&'", "'||'", "'??'")):
            return False
        node = parent
    return False


def _is_for_each_callback(tree: Tree, function: int) -> bool:
    arguments = tree.parent[function]
    call = tree.parent[arguments]
    if tree.kind[arguments] != "arguments" or tree.kind[call] != "call_expression":
        return False
    callee = tree.child(call, "function")
    name = None if callee is None else tree.child(callee, "property")
    return name is not None and tree.text(name) == "forEach"
