"""`Math` is fine, its `random` is not: refused as a property, by name or by string, and as a part of a pattern."""

from collections.abc import Iterator

from runs.lint.finding import Finding
from runs.lint.global_names import RANDOM
from runs.lint.members import member_of, outermost
from runs.lint.patterns import taken
from runs.lint.script import Script

# Where a pattern meets its value: `const {random} = Math`, `({random} = Math)`, `({random} = Math) => 0`.
SIDES = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "assignment_pattern": ("left", "right"),
}


def math_random(script: Script) -> Iterator[Finding]:
    """Each place where `random` is taken out of the global `Math`."""
    tree = script.tree
    message = RANDOM.message.format(name="Math.random")
    for reference in script.names.unresolved:
        if reference.name != "Math":
            continue
        member = member_of(tree, reference.node)
        if member is not None:
            if member.name == "random":
                yield script.error(member.node, RANDOM.rule, message)
            continue
        value = outermost(tree, reference.node)
        target, source = SIDES.get(tree.kind[tree.parent[value]], ("", ""))
        pattern = tree.child(tree.parent[value], target) if source and tree.field[value] == source else None
        for part in taken(tree, pattern) if pattern is not None else ():
            if part.name == "random":
                yield script.error(part.key, RANDOM.rule, message)
