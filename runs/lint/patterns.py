"""What a destructuring pattern binds, and which properties it takes out of the value."""

from collections.abc import Iterator
from typing import NamedTuple

from .syntax import Tree

BOUND = frozenset({"identifier", "shorthand_property_identifier_pattern"})
DEFAULTED = frozenset({"assignment_pattern", "object_assignment_pattern"})


class Taken(NamedTuple):
    """A property that a pattern takes: `{name: target = 1}`; `target` is the node that receives it."""

    name: str
    key: int
    target: int


def bound_names(tree: Tree, pattern: int) -> Iterator[int]:
    """The identifiers that a pattern binds, in order; defaults and computed keys are left out."""
    pending = [pattern]
    while pending:
        node = pending.pop()
        kind = tree.kind[node]
        if kind in BOUND:
            yield node
        elif kind in DEFAULTED or kind == "pair_pattern":
            inner = tree.child(node, "value" if kind == "pair_pattern" else "left")
            if inner is not None:
                pending.append(inner)
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            pending.extend(reversed(tree.named(node)))


def taken(tree: Tree, pattern: int) -> Iterator[Taken]:
    """The properties that an object pattern names; none for any other node."""
    if tree.kind[pattern] != "object_pattern":
        return
    for part in tree.named(pattern):
        node: int | None = part
        if tree.kind[part] == "object_assignment_pattern":
            node = tree.child(part, "left")
        if node is not None and tree.kind[node] == "shorthand_property_identifier_pattern":
            yield Taken(tree.name(node), node, node)
        elif tree.kind[part] == "pair_pattern":
            yield from _pair(tree, part)


def without_default(tree: Tree, pattern: int) -> int:
    """The pattern itself when it is written as `pattern = default`."""
    if tree.kind[pattern] in DEFAULTED:
        left = tree.child(pattern, "left")
        return pattern if left is None else left
    return pattern


def _pair(tree: Tree, pair: int) -> Iterator[Taken]:
    key, value = tree.child(pair, "key"), tree.child(pair, "value")
    if key is None or value is None:
        return
    name = tree.literal(key) if tree.kind[key] == "string" else tree.name(key)
    if name is not None and tree.kind[key] != "computed_property_name":
        yield Taken(name, key, without_default(tree, value))
