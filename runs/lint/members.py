"""Reading `object.property`, and looking through parentheses."""

from typing import NamedTuple

from .kinds import MEMBERS
from .syntax import Tree


class Member(NamedTuple):
    """`node` is the whole `object.name` or `object['name']`, `key` the node that spells the name."""

    node: int
    key: int
    name: str


def member_of(tree: Tree, target: int) -> Member | None:
    """The property that is read from `target`, where it can be told from the text; None if there is none."""
    target = outermost(tree, target)
    node = tree.parent[target]
    if node < 0 or tree.kind[node] not in MEMBERS or tree.field[target] != "object":
        return None
    key = tree.child(node, "property")
    if key is not None:
        return Member(node, key, tree.name(key))
    key = tree.child(node, "index")
    name = None if key is None else tree.literal(key)
    return None if key is None or name is None else Member(node, key, name)


def call_of(tree: Tree, callee: int) -> int | None:
    """The call whose function is `callee`; None when it is not called on the spot."""
    callee = outermost(tree, callee)
    parent = tree.parent[callee]
    called = parent >= 0 and tree.kind[parent] == "call_expression" and tree.field[callee] == "function"
    return parent if called else None


def outermost(tree: Tree, node: int) -> int:
    """The parentheses around a node, or the node itself."""
    while tree.parent[node] >= 0 and tree.kind[tree.parent[node]] == "parenthesized_expression":
        node = tree.parent[node]
    return node


def innermost(tree: Tree, node: int) -> int:
    """What stands in the parentheses, or the node itself."""
    while tree.kind[node] == "parenthesized_expression":
        inner = tree.named(node)
        if not inner:
            return node
        node = inner[0]
    return node


def arguments_of(tree: Tree, call: int) -> list[int]:
    """The argument nodes of a call; none for a tagged template."""
    arguments = tree.child(call, "arguments")
    return [] if arguments is None or tree.kind[arguments] != "arguments" else tree.named(arguments)
