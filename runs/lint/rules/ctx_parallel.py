"""`ctx.parallel` takes functions, so that it can start and name them itself; giving it promises is a common slip."""

from collections.abc import Iterator

from runs.lint.ctx import PROMISES, ctx_calls_in
from runs.lint.finding import Finding
from runs.lint.kinds import FUNCTION_EXPRESSIONS
from runs.lint.members import arguments_of, innermost
from runs.lint.script import Script
from runs.lint.syntax import Tree

MESSAGE = "`{shown}` takes functions, and this is {what}. Write `() => {written}`."
MAP_MESSAGE = (
    "`{shown}` takes functions, and this callback gives {what} for each item. Write `item => () => ...`, so that each "
    "item becomes a function."
)
LONGEST_QUOTE = 60


def ctx_parallel(script: Script) -> Iterator[Finding]:
    """Rule `parallel-takes-functions`, for items of an array literal and for the callback of a `.map(...)`."""
    calls = list(ctx_calls_in(script))
    promises = {call for use, call in calls if use.name in PROMISES}
    for use, call in calls:
        if use.name not in ("parallel", "parallelSettled"):
            continue
        for argument in arguments_of(script.tree, call)[:1]:
            yield from _argument(script, innermost(script.tree, argument), use.shown, promises)


def _argument(script: Script, argument: int, shown: str, promises: set[int]) -> Iterator[Finding]:
    tree = script.tree
    if tree.kind[argument] == "array":
        for item in tree.named(argument):
            what = _what(tree, item, promises)
            if what:
                written = " ".join(tree.text(item).split())
                written = written if len(written) <= LONGEST_QUOTE else "..."
                message = MESSAGE.format(shown=shown, what=what, written=written.removeprefix("await "))
                yield script.warning(item, "parallel-takes-functions", message)
    callback = _map_callback(tree, argument)
    if callback is None:
        return
    body = tree.child(callback, "body")
    what = "a promise" if tree.has(callback, "'async'") else _what(tree, body, promises)
    if what:
        yield script.warning(callback, "parallel-takes-functions", MAP_MESSAGE.format(shown=shown, what=what))


def _what(tree: Tree, item: int | None, promises: set[int]) -> str | None:
    """What an item is, where it is plainly no function."""
    if item is None:
        return None
    item = innermost(tree, item)
    if tree.kind[item] == "await_expression":
        return "a value that was already waited for"
    if item in promises:
        return "a promise that already runs"
    callee = tree.child(item, "function") if tree.kind[item] == "call_expression" else None
    if callee is not None and _is_async(tree, innermost(tree, callee)):
        return "a promise that already runs"
    return None


def _is_async(tree: Tree, node: int) -> bool:
    return tree.kind[node] in FUNCTION_EXPRESSIONS and tree.has(node, "'async'")


def _map_callback(tree: Tree, node: int) -> int | None:
    """The function expression in `items.map(here)`."""
    callee = tree.child(node, "function") if tree.kind[node] == "call_expression" else None
    name = None if callee is None else tree.child(callee, "property")
    if name is None or tree.text(name) != "map":
        return None
    arguments = arguments_of(tree, node)
    return arguments[0] if arguments and tree.kind[arguments[0]] in FUNCTION_EXPRESSIONS else None
