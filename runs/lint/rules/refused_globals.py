"""Global names that the realm does not have: refused where the name really means the global."""

from collections.abc import Iterator

from runs.lint.finding import Finding
from runs.lint.global_names import REFUSED
from runs.lint.script import Script

INSTANCEOF = "`instanceof Function` is not available, as `Function` is not. Write `typeof x === 'function'`."


def refused_globals(script: Script) -> Iterator[Finding]:
    """Each reference; a declaration of the same name, a property, a label or a word in a text is none."""
    for reference in script.names.unresolved:
        refusal = REFUSED.get(reference.name)
        if refusal is None:
            continue
        message = refusal.message.format(name=reference.name)
        if reference.name == "Function" and _is_tested_for(script, reference.node):
            message = INSTANCEOF
        yield script.error(reference.node, refusal.rule, message)


def _is_tested_for(script: Script, node: int) -> bool:
    parent = script.tree.parent[node]
    return script.tree.field[node] == "right" and script.tree.has(parent, "'instanceof'")
