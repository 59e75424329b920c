"""Effect search: which runs called a tool, with what narration, to what end, and with what in arguments or result.

Bodies are CBOR, which no database reads. But CBOR writes a text as its bytes, and a name with its value side by side:
`status: failed` is one string of bytes, wherever it stands. So the database looks for those bytes in the journals of
the runs that the other filters give, newest first, and only what has them is decoded and looked at in earnest. That
costs appending nothing: no column, no index. It is bounded by time instead, and a search that was cut short says so and
on from where it stopped.
"""

from runs.searching.effects import Effects
from runs.searching.matching import Match
from runs.searching.search import Found, search

__all__ = ["Effects", "Found", "Match", "search"]
