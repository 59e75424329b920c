"""The function that a script exports, and the name under which it receives ctx."""

from dataclasses import dataclass

from .kinds import FUNCTIONS
from .members import innermost
from .scopes import Binding
from .script import Script
from .syntax import ROOT


@dataclass(frozen=True, slots=True)
class Entry:
    """`statement` is the first default export, `others` the rest. `written` is what it exports as written, `value` what
    that stands for after following a name to its declaration, None where the text does not tell."""

    statement: int
    others: tuple[int, ...]
    written: int
    value: int | None
    binding: Binding | None

    def parameter(self, script: Script, position: int) -> int | None:
        """The pattern of a parameter of the exported function, counted from 0; None when there is none."""
        tree = script.tree
        if self.value is None or tree.kind[self.value] not in FUNCTIONS:
            return None
        parameters = tree.child(self.value, "parameters")
        if parameters is None:
            single = tree.child(self.value, "parameter")
            return single if position == 0 else None
        written = tree.named(parameters)
        return written[position] if position < len(written) else None


def entry_of(script: Script) -> Entry | None:
    """What `export default` exports; None when the script has none."""
    tree = script.tree
    exports = [
        node for node in tree.named(ROOT) if tree.kind[node] == "export_statement" and tree.has(node, "'default'")
    ]
    if not exports:
        return None
    first = exports[0]
    written = tree.child(first, "value") or tree.child(first, "declaration")
    if written is None:
        return None
    written = innermost(tree, written)
    if tree.kind[written] != "identifier":
        return Entry(first, tuple(exports[1:]), written, written, None)
    binding = next((found.binding for found in script.names.references if found.node == written), None)
    return Entry(first, tuple(exports[1:]), written, _value(script, binding), binding)


def _value(script: Script, binding: Binding | None) -> int | None:
    tree = script.tree
    if binding is None or binding.node < 0:
        return None
    parent = tree.parent[binding.node]
    if binding.kind in ("function", "class"):
        return parent
    # Only a const is sure to hold at run time what it was declared with.
    if binding.kind == "const" and tree.kind[parent] == "variable_declarator":
        value = tree.child(parent, "value")
        return None if value is None else innermost(tree, value)
    return None
