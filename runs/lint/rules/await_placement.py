"""Where `await`, `yield`, `return`, `break` and `continue` may stand: each belongs to a function or loop around it."""

from collections.abc import Iterator
from typing import NamedTuple

from runs.lint.finding import Finding
from runs.lint.kinds import FUNCTIONS, GENERATORS, LOOPS
from runs.lint.script import Script
from runs.lint.syntax import Tree

TOP_LEVEL = "`await` at the top level is not available: effects belong to a run. Move it into the default function."
NOT_ASYNC = "`await` stands in a function that is not async. Write `async` before that function."
IN_CLASS = "`await` cannot stand in a class body outside of a method. Move it into an async method."
YIELD = "`yield` stands outside of a generator. Write `function*`, or `return` if one value is meant."
RETURN = "`return` stands outside of a function. Move it into the default function."
BREAK = "`break` stands outside of a loop or switch. Remove it, or write `return` to leave the function."
CONTINUE = "`continue` stands outside of a loop. Write `return` to leave the function."


class Frame(NamedTuple):
    """What holds from here to the node numbered `end`. `place` is the top level, a function or a class body."""

    end: int
    place: str
    is_async: bool = False
    is_generator: bool = False
    can_break: bool = False
    can_continue: bool = False


def await_placement(script: Script) -> Iterator[Finding]:
    """Rules `top-level-await` and, for what the engine would not compile, `syntax-error`."""
    tree = script.tree
    frames = [Frame(len(tree), "top")]
    for node, kind in enumerate(tree.kind):
        while frames[-1].end <= node:
            frames.pop()
        yield from _misplaced(script, node, kind, frames[-1])
        opened = _opened(tree, node, kind, frames[-1])
        if opened is not None:
            frames.append(opened)


def _opened(tree: Tree, node: int, kind: str, now: Frame) -> Frame | None:
    end = tree.after[node]
    if kind in FUNCTIONS:
        is_generator = kind in GENERATORS or tree.has(node, "'*'")
        return Frame(end, "function", is_async=tree.has(node, "'async'"), is_generator=is_generator)
    if kind in ("class_static_block", "field_definition"):
        return Frame(end, "class")
    if kind in LOOPS:
        return now._replace(end=end, can_break=True, can_continue=True)
    if kind == "switch_body":
        return now._replace(end=end, can_break=True)
    return None


def _misplaced(script: Script, node: int, kind: str, now: Frame) -> Iterator[Finding]:
    if kind == "'await'" and not now.is_async:
        if now.place == "top":
            yield script.error(node, "top-level-await", TOP_LEVEL)
        else:
            yield script.error(node, "syntax-error", NOT_ASYNC if now.place == "function" else IN_CLASS)
    elif kind == "yield_expression" and not now.is_generator:
        yield script.error(node, "syntax-error", YIELD)
    elif kind == "return_statement" and now.place != "function":
        yield script.error(node, "syntax-error", RETURN)
    elif kind == "break_statement" and not now.can_break and script.tree.child(node, "label") is None:
        yield script.error(node, "syntax-error", BREAK)
    elif kind == "continue_statement" and not now.can_continue:
        yield script.error(node, "syntax-error", CONTINUE)
