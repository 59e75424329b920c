"""Finding runs among a million: filters, search, pages and counts that never scan or count the table.

Newest first, always: an id begins with the time, and every index of `Run` that begins a search ends with it. One filter
leads, through its index; the others are looked for among the runs that the lead gives, at most `WINDOW` of them at a
time. Where that was not all, the answer says how far it has looked, and goes on from there when asked.

Nothing keeps counters: a counter is a row that each claim and each park would have to wait for. A count stops at
`COUNTED` instead, which costs milliseconds, and says so.
"""

from runs.finding.asked import Asked
from runs.finding.codes import codes
from runs.finding.conditions import key_begins
from runs.finding.counting import COUNTED, Count, counts, newer
from runs.finding.paging import COLUMNS, PAGE, Page, again, find, ids, rows
from runs.finding.window import WINDOW

__all__ = [
    "COLUMNS", "COUNTED", "PAGE", "WINDOW", "Asked", "Count", "Page", "again", "codes", "counts", "find", "ids",
    "key_begins", "newer", "rows",
]  # fmt: skip
