"""The journal of a run and its calls as JSON values: what `showrun --json` prints of them."""

from typing import Any

from journal import store
from journal.entries import Entry, Kind
from runs.errors import BadInput
from runs.models import Run


def call_facts(run: Run, call_seq: int) -> dict[str, Any]:
    """One ctx call: what was asked, what came of it, and its entries; raises `BadInput` for a callSeq that has none."""
    entries = store.read_call(run.journal_id, call_seq) if 0 < call_seq < 2**31 else []
    if not entries:
        raise BadInput(
            f"run {run.pk} has no call {call_seq}; manage.py showrun {run.pk} --journal shows the calls there are"
        )
    asked, ended = entries[0], entries[-1]
    call: dict[str, Any] = {"callSeq": call_seq, "kind": asked.kind}
    for name in ("tool", "childRunId", "step", "description", "input", "line"):
        call[name] = asked.body.get(name)
    done = ended.body if ended.kind == Kind.RESULT else {}
    call |= {"status": done.get("status"), "output": done.get("output"), "error": done.get("error")}
    call |= {"attempts": done.get("attempts", 1), "reexecuted": done.get("reexecuted", False)}
    return call | {"entries": [entry.as_dict() for entry in entries]}


def entries_of(run: Run) -> list[Entry]:
    return store.read(run.journal_id)
