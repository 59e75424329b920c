"""Where a script uses ctx: through the second parameter of its main function, or a parameter named `ctx` elsewhere."""

from collections.abc import Iterator
from typing import NamedTuple

from .entry import entry_of
from .members import call_of, member_of
from .patterns import Taken, taken, without_default
from .scopes import Binding
from .script import Script

PROMISES = frozenset(
    "call delegate agent parallel parallelSettled step sleep waitForEvent continueAsNew now".split()  # noqa: SIM905
)
DURATIONS = frozenset({"seconds", "minutes", "hours", "days"})
KNOWN = PROMISES | DURATIONS | {"input", "runId", "plan", "log", "progress"}


class CtxUse(NamedTuple):
    """One use of a ctx member: `node` is the whole `ctx.call`, or the name that destructuring gave it, or the pattern's
    property where it is only taken; `key` is where its name is spelled; `shown` is how the script writes it."""

    node: int
    key: int
    name: str
    shown: str


def ctx_uses(script: Script) -> Iterator[CtxUse]:
    """Every use that scopes can tell for sure; `ctx[name]` and a ctx kept in another variable are not among them."""
    tree = script.tree
    for binding in _ctx_bindings(script):
        for reference in binding.references:
            member = member_of(tree, reference.node)
            if member is not None:
                yield CtxUse(member.node, member.key, member.name, f"{reference.name}.{member.name}")
                continue
            parent = tree.parent[reference.node]
            if tree.kind[parent] == "variable_declarator" and tree.field[reference.node] == "value":
                for part in taken(tree, tree.child(parent, "name") or parent):
                    yield from _taken_uses(script, part)
    entry = entry_of(script)
    second = None if entry is None else entry.parameter(script, 1)
    if second is not None:
        for part in taken(tree, without_default(tree, second)):
            yield from _taken_uses(script, part)


def ctx_calls_in(script: Script) -> Iterator[tuple[CtxUse, int]]:
    """The uses that are called on the spot, with the call's node."""
    for use in ctx_uses(script):
        call = call_of(script.tree, use.node)
        if call is not None:
            yield use, call


def _ctx_bindings(script: Script) -> Iterator[Binding]:
    tree = script.tree
    entry = entry_of(script)
    second = None if entry is None else entry.parameter(script, 1)
    main = -1 if second is None else without_default(tree, second)
    for node, binding in script.names.bindings.items():
        if node == main or (binding.name == "ctx" and binding.kind == "parameter" and binding.node == node):
            yield binding


def _taken_uses(script: Script, part: Taken) -> Iterator[CtxUse]:
    yield CtxUse(part.key, part.key, part.name, part.name)
    binding = script.names.bindings.get(part.target)
    for reference in binding.references if binding else ():
        yield CtxUse(reference.node, part.key, part.name, reference.name)
