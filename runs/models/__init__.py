"""The tables of runs."""

from runs.models.run import Run
from runs.models.source import Source
from runs.models.store import StoreItem

__all__ = ["Run", "Source", "StoreItem"]
