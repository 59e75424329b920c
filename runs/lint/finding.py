"""One thing that lint has to say about a script: where, how bad, which rule, and what to write instead."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`rule` is a stable kebab-case id; `message` says what is wrong and what to write instead.

    Lines and columns are 1-based. A line ends at a line feed, a carriage return or both. A column counts characters
    (code points; a tab and an emoji are one each, a byte order mark none). The end is exclusive: it is the column after
    the last character.
    """

    severity: Severity
    rule: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def as_dict(self) -> dict[str, str | int]:
        """The finding under its JSON names."""
        return {
            "severity": self.severity,
            "rule": self.rule,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
        }
