"""What the script declares, and where each name in it was declared: real scopes, hoisting and shadowing included.

One walk opens scopes, declares and notes the uses; a second one over those notes resolves them with a stack per name,
so that neither depth nor the number of scopes makes a lookup slow.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

BindingKind = Literal["var", "let", "const", "using", "function", "class", "parameter", "catch", "import", "implicit"]


@dataclass(eq=False, slots=True)
class Binding:
    """A declared name; `node` is its identifier, -1 for one that nobody wrote (`arguments`)."""

    name: str
    kind: BindingKind
    node: int
    references: list["Reference"] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Reference:
    """A use of a name; `binding` is None where nothing in the script declares it."""

    name: str
    node: int
    binding: Binding | None = None


@dataclass(eq=False, slots=True)
class Scope:
    """`hoists_to` is where a `var` inside of it lands: the enclosing function, static block or module."""

    kind: Literal["module", "function", "block"]
    hoists_to: "Scope | None" = None
    bindings: dict[str, Binding] = field(default_factory=dict)


@dataclass(slots=True)
class Names:
    """The outcome: every reference in order, each binding by its identifier, and each that was declared again."""

    references: list[Reference] = field(default_factory=list)
    bindings: dict[int, Binding] = field(default_factory=dict)
    redeclared: list[tuple[Binding, Binding]] = field(default_factory=list)

    @property
    def unresolved(self) -> list[Reference]:
        return [reference for reference in self.references if reference.binding is None]


Note = tuple[Literal["enter", "leave"], Scope] | tuple[Literal["use"], Reference]


def resolve(notes: list[Note]) -> None:
    """Gives each noted reference the binding of the innermost scope around it that declares the name."""
    declared: defaultdict[str, list[Binding]] = defaultdict(list)
    for note in notes:
        if note[0] == "use":
            stack = declared.get(note[1].name)
            if stack:
                note[1].binding = stack[-1]
                stack[-1].references.append(note[1])
            continue
        for name, binding in note[1].bindings.items():
            if note[0] == "enter":
                declared[name].append(binding)
            else:
                declared[name].pop()
