"""What can go wrong with a journal.

JournalError
├── FenceLost       another worker holds the run now; let go without a word
└── JournalDamaged  a row cannot be decoded
"""


class JournalError(Exception):
    """Base of all faults of the journal."""


class FenceLost(JournalError):
    def __init__(self, run_id: str, fence: int) -> None:
        super().__init__(f"run {run_id} is held under another fence than {fence}; nothing was written")


class JournalDamaged(JournalError):
    def __init__(self, run_id: str, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq} of run {run_id} cannot be decoded ({reason}); restore it from a backup")
