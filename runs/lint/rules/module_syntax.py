"""A script is one module that imports nothing and exports one thing: every other import and export is refused."""

from collections.abc import Iterator

from runs.lint.finding import Finding
from runs.lint.script import Script
from runs.lint.syntax import ROOT

NO_IMPORT = (
    "{what} is not available: a script is one module, with nothing to load beside it. Put helpers into the same "
    "source, and reach everything else through ctx, as in `await ctx.call('tool', input)`."
)
NO_META = "`import.meta` is not available: a script has no address. Take what it needs from `input` or `ctx`."
EXPORT_FROM = "`export ... from` loads another module, and a script is one module. Copy the code into this source."
NAMED_EXPORT = (
    "A script has one export, its default function; nobody could import this one. Drop the `export` keyword and keep "
    "the declaration."
)
EXPORT_LIST = (
    "A script has one export, its default function. Drop this list; the function to run is exported by "
    "`export default name`."
)
NOT_AT_TOP = "`{word}` stands only at the top level of a module. Move it out of the block or function."


def module_syntax(script: Script) -> Iterator[Finding]:
    """Import statements, `import()`, `import.meta`, named exports, and imports or exports inside of a block."""
    tree = script.tree
    for node, kind in enumerate(tree.kind):
        if kind == "import_statement":
            yield script.error(node, "no-import", NO_IMPORT.format(what="`import`"))
        elif kind == "import":
            yield script.error(node, "no-import", NO_IMPORT.format(what="`import()`"))
        elif kind == "meta_property" and tree.text(node).startswith("import"):
            yield script.error(node, "no-import-meta", NO_META)
        elif kind == "export_statement":
            yield from _export(script, node)


def _export(script: Script, node: int) -> Iterator[Finding]:
    tree = script.tree
    if tree.parent[node] != ROOT and tree.kind[tree.parent[node]] != "ERROR":
        yield script.error(node, "syntax-error", NOT_AT_TOP.format(word="export"))
    elif tree.child(node, "source") is not None or tree.has(node, "'*'"):
        yield script.error(node, "named-export", EXPORT_FROM)
    elif tree.has(node, "export_clause"):
        yield script.error(node, "named-export", EXPORT_LIST)
    elif not tree.has(node, "'default'"):
        yield script.finding("error", "named-export", NAMED_EXPORT, tree.start[node], tree.start[node] + len("export"))
