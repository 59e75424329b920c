"""Reads a script before it runs and says what is wrong with it and what to write instead.

`lint` works on the parse tree, never on text, and imports nothing of the rest of the product: no Django, no realm.
"""

from .excerpt import excerpt
from .finding import Finding, Severity
from .linter import lint

__all__ = ["Finding", "Severity", "excerpt", "lint"]
