"""The one export of a script must be there, once, and be a function that can be called as `main(input, ctx)`."""

from collections.abc import Iterator

from runs.lint.entry import Entry, entry_of
from runs.lint.finding import Finding
from runs.lint.script import Script
from runs.lint.syntax import ROOT

SHAPE = "`export default async function (input, ctx) { ... }`"
EMPTY = f"The script is empty. Write {SHAPE}."
MISSING = f"The script has no default export, so there is nothing to run. Write {SHAPE}."
MISSING_MAIN = (
    "The script has no default export, so there is nothing to run. Write `export default {name}` at the end, or put "
    "`export default` before the function."
)
TWICE = "A second default export: only one function can be run. Keep one and drop `export default` from the other."
NOT_A_FUNCTION = "The default export is {what}, which cannot be run. Write {shape}."
NOT_CALLABLE = {
    **dict.fromkeys(("number", "string", "template_string", "regex", "true", "false", "null"), "a plain value"),
    "undefined": "a plain value",
    "object": "an object",
    "array": "an array",
    "class": "a class",
    "class_declaration": "a class",
    "generator_function": "a generator, whose body a call does not run",
    "generator_function_declaration": "a generator, whose body a call does not run",
}
LIKELY_MAINS = ("main", "run", "workflow", "handler")


def default_export(script: Script) -> Iterator[Finding]:
    """Rules `empty-source`, `missing-default-export`, `duplicate-default-export`, `default-export-not-a-function`."""
    entry = entry_of(script)
    if entry is None:
        yield from _missing(script)
        return
    for other in entry.others:
        yield script.error(other, "duplicate-default-export", TWICE)
    what = _not_callable(script, entry)
    if what is not None:
        message = NOT_A_FUNCTION.format(what=what, shape=SHAPE)
        yield script.error(entry.written, "default-export-not-a-function", message)


def _missing(script: Script) -> Iterator[Finding]:
    tree = script.tree
    statements = [node for node in tree.named(ROOT) if tree.kind[node] not in ("empty_statement", "hash_bang_line")]
    if not statements:
        yield script.finding("error", "empty-source", EMPTY, 0, 0)
    elif not any(tree.has(node, "export_clause") and "default" in tree.text(node) for node in statements):
        names = {binding.name for binding in script.names.bindings.values() if binding.kind in ("function", "const")}
        main = next((name for name in LIKELY_MAINS if name in names), None)
        message = MISSING_MAIN.format(name=main) if main else MISSING
        yield script.finding("error", "missing-default-export", message, 0, 0)


def _not_callable(script: Script, entry: Entry) -> str | None:
    tree = script.tree
    if entry.value is not None:
        what = NOT_CALLABLE.get(tree.kind[entry.value])
        named = tree.kind[entry.written] == "identifier"
        return f"`{tree.name(entry.written)}`, {what}" if what and named else what
    if tree.kind[entry.written] == "identifier" and entry.binding is None:
        return f"`{tree.name(entry.written)}`, which this script does not declare"
    return None
