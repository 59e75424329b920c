"""What parses and yet no engine compiles, as far as it is cheap to tell; the engine itself has the last word."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from unicodedata import category

from runs.lint.finding import Finding
from runs.lint.kinds import NAMES
from runs.lint.members import innermost
from runs.lint.script import Script
from runs.lint.syntax import Tree

JSX = "JSX is not JavaScript. Write plain objects or strings."
WORDS = (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for "
    "function if implements import in instanceof interface let new null package private protected public return static "
    "super switch this throw true try typeof var void while with yield"
)
RESERVED = frozenset(WORDS.split())
# Symbols, punctuation, blanks and control characters, of which an identifier may hold but a few.
NO_LETTERS = frozenset({"So", "Sm", "Sk", "Po", "Pd", "Ps", "Pe", "Pi", "Pf", "Zs", "Zl", "Zp", "Cc", "Cf", "Co"})
JOINERS = frozenset("$·\u0387\u200c\u200d\u2118\u212e\u309b\u309c")
OLD_NUMBER = re.compile(r"0[0-9]")
OLD_ESCAPE = re.compile(r"\\(?:[1-9]|0[0-9])")


def early_errors(script: Script) -> Iterator[Finding]:
    """Rule `syntax-error`, and `no-with` for the `with` statement."""
    tree = script.tree
    for earlier, later in script.names.redeclared:
        line = script.source.position(tree.start[earlier.node])[0]
        message = f"`{later.name}` is already declared on line {line}. Rename one, or assign without declaring again."
        yield script.error(later.node, "syntax-error", message)
    for node, kind in enumerate(tree.kind):
        check = CHECKS.get(kind)
        message = check(tree, node) if check else ""
        if message:
            yield script.error(node, "no-with" if kind == "with_statement" else "syntax-error", message)


def _with(tree: Tree, node: int) -> str:
    return "`with` is not available in a module. Write the object before each property, or destructure it."


def _delete(tree: Tree, node: int) -> str:
    argument = tree.child(node, "argument")
    if argument is None or not tree.has(node, "'delete'") or tree.kind[innermost(tree, argument)] != "identifier":
        return ""
    return "A variable cannot be deleted. Assign `undefined` to it, or delete a property of an object."


def _number(tree: Tree, node: int) -> str:
    if not OLD_NUMBER.match(tree.text(node)):
        return ""
    return "A number cannot start with a zero. Write `0o17` for octal, or drop the zero."


def _escape(tree: Tree, node: int) -> str:
    # One byte more than the escape: `\\0` is fine, but not before a digit. A tagged template may hold anything.
    text = tree.source.slice(tree.start[node], tree.end[node] + 1)
    if not OLD_ESCAPE.match(text) or tree.kind[tree.parent[tree.parent[node]]] == "call_expression":
        return ""
    return "An octal escape is not available. Write `\\x41` or `\\u0041`."


def _assignment(tree: Tree, node: int) -> str:
    left = tree.child(node, "left")
    if left is None or not tree.has(left, "optional_chain"):
        return ""
    return "`?.` cannot stand on the left of an assignment. Test the object first, then assign."


def _name(tree: Tree, node: int) -> str:
    name = tree.name(node)
    if name in RESERVED:
        return (
            f"`{name}` is a word of the language and cannot be a name. Choose another name, or check what is missing."
        )
    if not name.isascii() and any(category(letter) in NO_LETTERS and letter not in JOINERS for letter in name):
        return f"`{name}` cannot be a name. Use letters, digits, `_` and `$`; put anything else into a string."
    return ""


def _commas(tree: Tree, node: int) -> str:
    kinds = [tree.kind[child] for child in tree.children(node)]
    if any(kind == "','" and before in ("'{'", "'('", "','") for before, kind in pairwise(kinds)):
        return "A comma with nothing before it. Remove the comma."
    return ""


def _try(tree: Tree, node: int) -> str:
    if tree.child(node, "handler") is not None or tree.child(node, "finalizer") is not None:
        return ""
    return "`try` needs a `catch` or a `finally`. Add one."


def _statement(tree: Tree, node: int) -> str:
    first = next(tree.children(node), node)
    if tree.kind[first] not in ("function_expression", "generator_function", "class"):
        return ""
    return (
        "A function or class that stands as a statement needs a name. Name it, or put it into parentheses to call it."
    )


def _declarator(tree: Tree, node: int) -> str:
    declaration, loop = tree.parent[node], tree.parent[tree.parent[node]]
    name = tree.child(node, "name")
    if name is None or tree.child(node, "value") is not None or tree.kind[loop] == "for_in_statement":
        return ""
    if not tree.has(declaration, "'const'") and not tree.kind[name].endswith("_pattern"):
        return ""
    return "A `const` and a destructuring pattern need a value. Write `= ...` after it, or `let` for a plain name."


CHECKS: dict[str, Callable[[Tree, int], str]] = {
    "with_statement": _with,
    **dict.fromkeys(NAMES, _name),
    "object": _commas,
    "object_pattern": _commas,
    "arguments": _commas,
    "formal_parameters": _commas,
    "unary_expression": _delete,
    "number": _number,
    "escape_sequence": _escape,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _assignment,
    "try_statement": _try,
    "expression_statement": _statement,
    "variable_declarator": _declarator,
    "jsx_element": lambda tree, node: JSX,
    "jsx_self_closing_element": lambda tree, node: JSX,
    "decorator": lambda tree, node: "Decorators are not available. Call the function on the class instead.",
    "html_comment": lambda tree, node: "`<!--` is no comment in a module. Write `//`.",
}
