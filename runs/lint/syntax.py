"""The parse tree of a script, laid out flat: node `n` is a number, and what lies below it are `n + 1 ... after[n] - 1`.

Flat, so that every walk is a loop over numbers: nesting of any depth costs no stack, and 256 KiB cost a fraction of a
second. Comments are left out. Tokens carry quotes (`'async'`), so that they cannot be mistaken for rules (`class`).
"""

import re
import time
from collections.abc import Iterator

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from .source import Source

LANGUAGE = Language(tree_sitter_javascript.language())
KINDS = [
    (LANGUAGE.node_kind_for_id(i) or "") if LANGUAGE.node_kind_is_named(i) else f"'{LANGUAGE.node_kind_for_id(i)}'"
    for i in range(LANGUAGE.node_kind_count)
]
FIELDS = ["", *(LANGUAGE.field_name_for_id(i) or "" for i in range(1, LANGUAGE.field_count + 1))]
COMMENT = LANGUAGE.id_for_node_kind("comment", True)
ROOT = 0
# Of CPU. The largest script takes a hundredth of it; some broken ones would take minutes, as the square of their size.
SECONDS = 3.0
UNICODE_ESCAPE = re.compile(r"\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")


class Tree:
    """Parallel lists, one item per node in the order of the text. Offsets are bytes; the root's parent is -1.

    `is_broken` tells whether the parser had to skip anything or make it up; `missing` holds what it made up. Where
    it gave up, it is broken too, and there is no more than the root.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind: list[str] = []
        self.field: list[str] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.parent: list[int] = []
        self.after: list[int] = []
        self.missing: list[int] = []
        self._fill()

    def __len__(self) -> int:
        return len(self.kind)

    def children(self, node: int) -> Iterator[int]:
        child, end = node + 1, self.after[node]
        while child < end:
            yield child
            child = self.after[child]

    def named(self, node: int) -> list[int]:
        """The children that are not mere tokens."""
        return [child for child in self.children(node) if not self.kind[child].startswith("'")]

    def child(self, node: int, field: str) -> int | None:
        """The first child under a field name of the grammar."""
        return next((child for child in self.children(node) if self.field[child] == field), None)

    def has(self, node: int, kind: str) -> bool:
        """Whether a child of that kind is there: `tree.has(function, "'async'")`."""
        return any(self.kind[child] == kind for child in self.children(node))

    def text(self, node: int) -> str:
        return self.source.slice(self.start[node], self.end[node])

    def name(self, node: int) -> str:
        """The text of an identifier, its escapes undone: `\\u0044ate` is `Date`."""
        text = self.text(node)
        return unescape(text) if "\\" in text else text

    def literal(self, node: int) -> str | None:
        """The value of a string or of a template without substitutions; None for anything else."""
        parts = self.named(node)
        if self.kind[node] not in ("string", "template_string") or any(
            self.kind[part] not in ("string_fragment", "escape_sequence") for part in parts
        ):
            return None
        return unescape("".join(self.text(part) for part in parts))

    def _fill(self) -> None:
        until, data = time.thread_time() + SECONDS, self.source.data
        try:
            parsed = Parser(LANGUAGE).parse(
                lambda offset, _: data[offset:], progress_callback=lambda _, __: time.thread_time() > until
            )
            self.is_broken = parsed.root_node.has_error
        except ValueError:  # it was told to stop
            parsed = Parser(LANGUAGE).parse(b"")
            self.is_broken = True
        cursor = parsed.walk()
        enclosing = [-1]
        while True:
            node = cursor.node
            assert node is not None
            if node.kind_id != COMMENT:
                self._add(node, cursor.field_id or 0, enclosing[-1])
                if cursor.goto_first_child():
                    enclosing.append(len(self) - 1)
                    continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                self.after[enclosing.pop()] = len(self)

    def _add(self, node: Node, field: int, parent: int) -> None:
        kind = node.kind_id
        start, end = node.byte_range
        if start == end and self.is_broken and node.is_missing:
            self.missing.append(len(self))
        self.kind.append(KINDS[kind] if kind < len(KINDS) else "ERROR")
        self.field.append(FIELDS[field])
        self.start.append(start)
        self.end.append(end)
        self.parent.append(parent)
        self.after.append(len(self.kind))


def unescape(text: str) -> str:
    """`\\uXXXX` and `\\u{X}` undone; what is no code point stays as it is."""
    return UNICODE_ESCAPE.sub(lambda match: _character(int(match[1] or match[2], 16), match[0]), text)


def _character(code: int, escape: str) -> str:
    return chr(code) if code <= 0x10FFFF else escape
