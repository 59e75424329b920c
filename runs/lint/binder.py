"""The walk that finds scopes, declarations and uses in a tree; `scopes` says what they are and resolves them."""

from collections.abc import Callable

from .kinds import BLOCKS, CLASSES, DECLARATIONS, FUNCTION_DECLARATIONS, FUNCTION_EXPRESSIONS, FUNCTIONS, NAMES
from .patterns import bound_names
from .scopes import Binding, BindingKind, Names, Note, Reference, Scope, resolve
from .syntax import Tree

# Identifiers below these spell a name of another module, of an export or of a tag, and stand for no variable.
NO_REFERENCE = frozenset({"import_specifier", "namespace_export", "import_attribute", "jsx_namespace_name"})
# A later declaration may take the place of these without a word.
GIVES_WAY: frozenset[BindingKind] = frozenset({"implicit"})
# These may meet again under the same name in one scope: `var a; var a`.
REPEATABLE: frozenset[BindingKind] = frozenset({"var", "parameter", "function"})

Handler = Callable[[int], None]


def names_of(tree: Tree) -> Names:
    """All names of a script, resolved."""
    return _Binder(tree).run()


class _Binder:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.names = Names()
        self.notes: list[Note] = []
        self.open: list[tuple[int, Scope]] = []
        self.handlers: dict[str, Handler] = {
            **dict.fromkeys(BLOCKS, self._block),
            **dict.fromkeys(DECLARATIONS, self._variables),
            **dict.fromkeys(FUNCTIONS, self._function),
            **dict.fromkeys(CLASSES, self._class),
            **dict.fromkeys(NAMES, self._use),
            "class_static_block": self._static_block,
            "import_statement": self._import,
        }

    def run(self) -> Names:
        self._enter(len(self.tree), Scope("module"))
        for node, kind in enumerate(self.tree.kind):
            while self.open[-1][0] <= node:
                self._leave()
            handler = self.handlers.get(kind)
            if handler is not None:
                handler(node)
            elif kind == "formal_parameters":
                self._parameters(node)
        while self.open:
            self._leave()
        resolve(self.notes)
        return self.names

    def _enter(self, end: int, scope: Scope) -> None:
        if scope.kind == "block":
            outer = self.open[-1][1]
            scope.hoists_to = outer.hoists_to or outer
        self.open.append((end, scope))
        self.notes.append(("enter", scope))

    def _leave(self) -> None:
        self.notes.append(("leave", self.open.pop()[1]))

    def _declare(self, node: int, kind: BindingKind, scope: Scope | None = None) -> None:
        scope = scope or self.open[-1][1]
        if kind == "var":
            scope = scope.hoists_to or scope
        binding = Binding(self.tree.name(node), kind, node)
        earlier = scope.bindings.get(binding.name)
        if earlier is not None and earlier.kind not in GIVES_WAY:
            if not _may_repeat(earlier, binding, scope):
                self.names.redeclared.append((earlier, binding))
            self.names.bindings[node] = earlier
            return
        scope.bindings[binding.name] = self.names.bindings[node] = binding

    def _declare_pattern(self, pattern: int, kind: BindingKind) -> None:
        for node in bound_names(self.tree, pattern):
            self._declare(node, kind)

    def _block(self, node: int) -> None:
        kind, parent = self.tree.kind[node], self.tree.kind[self.tree.parent[node]]
        # A function's body shares the scope of its parameters, so that `(a) => { let a }` is seen as a clash.
        if kind == "statement_block" and (parent in FUNCTIONS or parent == "class_static_block"):
            return
        self._enter(self.tree.after[node], Scope("block"))
        if kind == "catch_clause":
            parameter = self.tree.child(node, "parameter")
            if parameter is not None:
                self._declare_pattern(parameter, "catch")
        elif kind == "for_in_statement":
            keyword, left = self.tree.child(node, "kind"), self.tree.child(node, "left")
            if keyword is not None and left is not None:
                self._declare_pattern(left, self._kind(self.tree.text(keyword)))

    def _variables(self, node: int) -> None:
        kind = self._kind(next((self.tree.text(child) for child in self.tree.children(node)), "let"))
        for declarator in self.tree.named(node):
            name = self.tree.child(declarator, "name")
            if name is not None:
                self._declare_pattern(name, kind)

    def _kind(self, keyword: str) -> BindingKind:
        return "var" if keyword == "var" else "const" if keyword == "const" else "let"

    def _function(self, node: int) -> None:
        tree = self.tree
        name = tree.child(node, "name")
        if tree.kind[node] in FUNCTION_DECLARATIONS and name is not None:
            self._declare(name, "function")
        if tree.kind[node] == "arrow_function" and tree.child(node, "parameter") is not None:
            self._enter(tree.after[node], Scope("function"))
            self._declare_pattern(tree.child(node, "parameter") or node, "parameter")

    def _parameters(self, node: int) -> None:
        # Here and not at the function, because a method's computed name is still outside of its scope.
        tree = self.tree
        function = tree.parent[node]
        scope = Scope("function")
        self._enter(tree.after[function], scope)
        if tree.kind[function] != "arrow_function":
            scope.bindings["arguments"] = Binding("arguments", "implicit", -1)
        # What is left of a broken function hangs in an error that may have any number of children.
        name = tree.child(function, "name") if tree.kind[function] in FUNCTION_EXPRESSIONS else None
        if name is not None:
            self._declare(name, "implicit")
        for parameter in tree.named(node):
            self._declare_pattern(parameter, "parameter")

    def _class(self, node: int) -> None:
        name = self.tree.child(node, "name")
        if name is not None and self.tree.kind[node] == "class_declaration":
            self._declare(name, "class")
        inner = Scope("block")
        self._enter(self.tree.after[node], inner)
        if name is not None:
            text = self.tree.name(name)
            inner.bindings[text] = self.names.bindings.setdefault(name, Binding(text, "implicit", name))

    def _static_block(self, node: int) -> None:
        self._enter(self.tree.after[node], Scope("function"))

    def _import(self, node: int) -> None:
        for part in range(node + 1, self.tree.after[node]):
            if self.tree.kind[part] == "identifier" and self.tree.field[part] != "name":
                self._declare(part, "import", self.open[0][1])
            elif self.tree.kind[part] == "import_specifier" and self.tree.child(part, "alias") is None:
                self._declare(self.tree.child(part, "name") or part, "import", self.open[0][1])

    def _use(self, node: int) -> None:
        tree = self.tree
        parent = tree.parent[node]
        if node in self.names.bindings or tree.kind[parent] in NO_REFERENCE:
            return
        if tree.field[node] == "name" and tree.kind[parent] in FUNCTION_EXPRESSIONS:
            return
        if tree.kind[parent] == "ERROR":
            # It may be what is left of a declaration: better to know a name too many than to accuse one.
            self._declare(node, "implicit", self.open[0][1])
        elif not self._is_foreign(node, parent):
            reference = Reference(tree.name(node), node)
            self.names.references.append(reference)
            self.notes.append(("use", reference))

    def _is_foreign(self, node: int, parent: int) -> bool:
        """Whether it names something in `export {here as foreign}` or `export {foreign} from 'there'`."""
        tree = self.tree
        if tree.kind[parent] != "export_specifier":
            return False
        statement = tree.parent[tree.parent[parent]]
        return tree.field[node] == "alias" or tree.child(statement, "source") is not None


def _may_repeat(earlier: Binding, later: Binding, scope: Scope) -> bool:
    if scope.kind == "function":
        both_parameters = earlier.kind == later.kind == "parameter"
        return earlier.kind in REPEATABLE and later.kind in REPEATABLE and not both_parameters
    return earlier.kind == later.kind == "var"
