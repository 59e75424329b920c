"""Which bracket is still open at a place of the source: what a reader wants to know about a broken one."""

from .syntax import Tree

OPENERS = {"'('": "')'", "'['": "']'", "'{'": "'}'", "'${'": "'}'"}
CLOSERS = frozenset(OPENERS.values())


def innermost_open(tree: Tree, byte: int) -> int | None:
    """The last bracket that opens before `byte` and does not close before it; None when all are closed."""
    still_open: list[int] = []
    for node, kind in enumerate(tree.kind):
        if tree.start[node] >= byte:
            break
        # What the parser made up to go on has no width and closes nothing.
        if tree.start[node] == tree.end[node]:
            continue
        if kind in OPENERS:
            still_open.append(node)
        elif kind in CLOSERS and still_open and OPENERS[tree.kind[still_open[-1]]] == kind:
            still_open.pop()
    return still_open[-1] if still_open else None
