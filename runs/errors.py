"""What is refused at the border of the product: every message says what to do, and nothing was written.

Refused
├── BadInput       a value that cannot be taken
├── BadSource      the script does not pass the lint, or is too large; `findings` has the places
├── UnknownRun     there is no run of that id; UnknownScript and UnknownSchedule stand with what they name
└── NotPossible    the state of the run does not allow it
"""

from collections.abc import Sequence

from runs.codes import Code
from runs.lint import Finding


class Refused(Exception):
    """Base; `code` is stable, the text is for people."""

    code: str = "refused"

    def as_dict(self) -> dict[str, object]:
        return {"code": self.code, "message": str(self)}


class BadInput(Refused):
    code = Code.INVALID_INPUT.value


class BadSource(Refused):
    """The script cannot be started."""

    code = Code.LINT.value

    def __init__(self, message: str, findings: Sequence[Finding] = (), code: Code = Code.LINT) -> None:
        super().__init__(message)
        self.findings = list(findings)
        self.code = code.value

    def as_dict(self) -> dict[str, object]:
        return super().as_dict() | {"findings": [finding.as_dict() for finding in self.findings]}


class UnknownRun(Refused):
    code = "unknown-run"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"there is no run {run_id!r}; an id has 26 characters, copy it from startrun or the run list")


class NotPossible(Refused):
    code = "not-possible"
