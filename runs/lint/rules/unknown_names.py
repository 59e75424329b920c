"""A name that nothing declares and the realm does not have is most often a typo: a warning with the names near it."""

from collections.abc import Iterator

from runs.lint.finding import Finding
from runs.lint.global_names import ALLOWED, REFUSED
from runs.lint.nearest import did_you_mean
from runs.lint.script import Script

ASSIGNMENTS = frozenset({"assignment_expression", "augmented_assignment_expression"})
# Comparing names costs time: this many unknown ones, against this many known ones, get a suggestion.
MOST_SUGGESTIONS, MOST_KNOWN = 20, 2000


def unknown_names(script: Script) -> Iterator[Finding]:
    """Each name once, at its first use. `typeof name` is a question, not a use."""
    known = [*{binding.name: None for binding in script.names.bindings.values()}, *ALLOWED - {"undefined"}]
    told: set[str] = set()
    for reference in script.names.unresolved:
        name = reference.name
        if name in ALLOWED or name in REFUSED or name in told or _is_asked_for(script, reference.node):
            continue
        told.add(name)
        if script.tree.kind[script.tree.parent[reference.node]] in ASSIGNMENTS and _is_target(script, reference.node):
            message = f"`{name}` is assigned but never declared, which throws. Write `let {name} = ...`."
        else:
            message = f"`{name}` is not defined: the script does not declare it and the realm has no such global."
        if len(told) <= MOST_SUGGESTIONS:
            message += did_you_mean(name, known[:MOST_KNOWN])
        yield script.warning(reference.node, "unknown-name", message)


def _is_target(script: Script, node: int) -> bool:
    return script.tree.field[node] == "left"


def _is_asked_for(script: Script, node: int) -> bool:
    parent = script.tree.parent[node]
    return script.tree.kind[parent] == "unary_expression" and script.tree.has(parent, "'typeof'")
