"""What of a selection will and will not be touched, looked at before anything is done."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from runs.access import Person, may
from runs.admin.runs.bulk.selection import Selection
from runs.admin.runs.bulk.verbs import Bulk
from runs.models import Run

LOOKED_AT = 1_000
SHOWN = 20


@dataclass(slots=True)
class Outlook:
    """`touched` runs, and how many are `spared` for which reason; some of each as rows. `more`: that many were looked
    at, and there are others."""

    touched: int = 0
    spared: Counter[str] = field(default_factory=Counter)
    rows: list[Run] = field(default_factory=list)
    spared_rows: list[tuple[Run, str]] = field(default_factory=list)
    more: bool = False

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """The most frequent first; a template would take the methods of a Counter for keys that it lacks."""
        return self.spared.most_common(5)


def why_not(bulk: Bulk, runs: Sequence[Run], user: Person) -> dict[str, str]:
    """Why the verb does not touch a run, "" where it does, by its id."""
    spared = bulk.spared(runs)
    return {run.pk: spared[run.pk] if may(user, bulk.right, run) else f"you may not {bulk.right} it" for run in runs}


def outlook(bulk: Bulk, selection: Selection, user: Person) -> Outlook:
    """At most 1,000 runs are looked at, the newest ones."""
    told = Outlook()
    runs, older = selection.batch(user, "", LOOKED_AT)
    spared = why_not(bulk, runs, user)
    for run in runs:
        if why := spared[run.pk]:
            told.spared[why] += 1
            told.spared_rows.append((run, why))
        else:
            told.touched += 1
            told.rows.append(run)
    told.rows, told.spared_rows, told.more = told.rows[:SHOWN], told.spared_rows[:SHOWN], bool(older)
    return told
