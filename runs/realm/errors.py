"""How a realm can stop without settling.

RealmError
├── FuelExhausted  a slice used more CPU than it may
├── OutOfMemory    the script needs more than the memory limit
├── ScriptFault    the source does not load: a syntax error, or no memory or stack left for it
└── SliceCutShort  the engine's clock, which counts the whole process, ran out although this thread had fuel left:
                   not the script's fault; replay with a larger factor and go on
"""


class RealmError(Exception):
    """Base; after one of these the realm is gone, only the journal remains."""


class FuelExhausted(RealmError):
    pass


class OutOfMemory(RealmError):
    pass


class SliceCutShort(RealmError):
    pass


class ScriptFault(RealmError):
    """`line` is 1-based in the stored source, or 0 where the engine named none."""

    def __init__(self, name: str, message: str, line: int) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message
        self.line = line
