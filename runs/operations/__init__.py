"""What an operator does to a run that has ended, or waits: retry, rewind, fork, each also with an edited source."""

from runs.operations.forking import fork
from runs.operations.verbs import Done, retry, rewind

__all__ = ["Done", "fork", "retry", "rewind"]
