"""What lint found, for the terminal: place, message, and the lines around it."""

from collections.abc import Iterable, Sequence

from runs.lint import Finding, excerpt


def lines(findings: Iterable[Finding], source: str, name: str) -> list[str]:
    """`NAME:LINE:COLUMN: error: message [rule]`, as editors and CI read it, each with its excerpt."""
    return [_told(finding, source, name) for finding in findings]


def counted(findings: Sequence[Finding]) -> str:
    """ "2 errors, 1 warning"."""
    errors = sum(finding.is_error for finding in findings)
    return f"{_many(errors, 'error')}, {_many(len(findings) - errors, 'warning')}"


def _told(finding: Finding, source: str, name: str) -> str:
    head = f"{name}:{finding.line}:{finding.column}: {finding.severity}: {finding.message} [{finding.rule}]"
    shown = excerpt(source, finding.line, context=1)
    return f"{head}\n{shown}" if shown else head


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
