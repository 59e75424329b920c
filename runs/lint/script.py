"""A parsed script as the rules see it: text, tree and names, and the one way to make a finding."""

from dataclasses import dataclass

from .binder import names_of
from .finding import Finding, Severity
from .scopes import Names
from .source import Source
from .syntax import Tree


@dataclass(frozen=True, slots=True)
class Script:
    source: Source
    tree: Tree
    names: Names

    @classmethod
    def parse(cls, text: str) -> "Script":
        """Never raises for any text; what could not be parsed is told by `tree.is_broken`."""
        source = Source(text)
        tree = Tree(source)
        return cls(source, tree, names_of(tree))

    def error(self, node: int, rule: str, message: str) -> Finding:
        return self.finding("error", rule, message, self.tree.start[node], self.tree.end[node])

    def warning(self, node: int, rule: str, message: str) -> Finding:
        return self.finding("warning", rule, message, self.tree.start[node], self.tree.end[node])

    def finding(self, severity: Severity, rule: str, message: str, start: int, end: int) -> Finding:
        """A finding between two byte offsets."""
        return Finding(severity, rule, message, *self.source.position(start), *self.source.position(end))
