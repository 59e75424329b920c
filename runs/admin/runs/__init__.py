"""Runs in the admin: the list, the view of one run, its calls, and what is done to many at once."""

from runs.admin.runs.model import RunAdmin

__all__ = ["RunAdmin"]
