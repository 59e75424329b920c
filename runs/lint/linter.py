"""Runs every rule over a script and puts what they found in order."""

from itertools import islice

from .finding import Finding
from .rules import BROKEN_TREE_RULES, RULES
from .script import Script

# Enough to work with. A file of nothing but mistakes must not become a list of sixty thousand.
MOST_PER_RULE = 100


def lint(source: str) -> list[Finding]:
    """What is wrong with a script, in order of position; empty when nothing is. Never raises, and runs nothing.

    Of a source with syntax errors only the errors are told, since what its names mean is a guess. At most 100 findings
    of each rule.
    """
    script = Script.parse(source)
    rules = BROKEN_TREE_RULES if script.tree.is_broken else RULES
    findings = {finding for rule in rules for finding in islice(rule(script), MOST_PER_RULE)}
    return sorted(findings, key=lambda found: (found.line, found.column, found.severity, found.rule, found.message))
