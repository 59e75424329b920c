"""GetRunJournal: the entries of a run in order, from one on."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from journal import codec
from journal.models import RunJournal
from runs.api.actions.action import Action, Also, Answer, Params, Result
from runs.api.actions.fields import GREATEST, RunId
from runs.api.actions.looking import EXAMPLE_ID
from runs.api.actions.lookup import run_for
from runs.api.caller import Caller
from runs.api.roles import Role

MOST, DEFAULT = 1000, 500
BYTES = 4 * 1024 * 1024  # of entries as they are stored; one is always given


class GetRunJournalParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID, "afterSeq": 0}]}}

    run_id: RunId
    after_seq: Annotated[
        int, Field(ge=0, le=GREATEST, description="The seq of the last entry that is known already.")
    ] = 0
    limit: Annotated[int, Field(ge=1, le=MOST)] = DEFAULT


class JournalEntry(Result):
    """One entry: seq, at (ms since the epoch), kind, callSeq, and what its kind carries. `supersededBy` is the attempt
    that left it behind; of one that is damaged there is `unreadable` instead of what it carries, and it says why."""

    model_config = ConfigDict(extra="allow")

    seq: int
    at: int
    kind: str
    call_seq: int


class GetRunJournalResult(Result):
    run_id: str
    entries: list[JournalEntry]
    last_seq: Annotated[int, Field(description="Of the last entry given: the next afterSeq.")]
    more: Annotated[bool, Field(description="Whether there are entries after it already.")]


def get_run_journal(caller: Caller, params: GetRunJournalParams, also: Also) -> Answer:
    run = run_for(caller, params.run_id)
    rows = RunJournal.objects.filter(run_id=run.journal_id, seq__gt=params.after_seq).order_by("seq")
    entries: list[dict[str, Any]] = []
    size, more = 0, False
    for row in rows[: params.limit + 1]:
        size += len(row.entry)
        if len(entries) == params.limit or (entries and size > BYTES):
            more = True
            break
        entries.append(_entry(row))
    last = entries[-1]["seq"] if entries else params.after_seq
    return {"runId": run.pk, "entries": entries, "lastSeq": last, "more": more}


def _entry(row: RunJournal) -> dict[str, Any]:
    """One that is damaged must not keep people from the others."""
    try:
        told = codec.decode(row.entry)
    except Exception as error:  # noqa: BLE001  (damaged bytes may fail anywhere)
        words = f"this entry cannot be read ({type(error).__name__}); restore it from a backup"
        told = {"kind": row.kind, "callSeq": row.call_seq, "unreadable": words}
    left = {} if row.superseded_by is None else {"supersededBy": row.superseded_by}
    return {"seq": row.seq, "at": row.at, **told, **left}


GET_RUN_JOURNAL = Action(
    "GetRunJournal",
    Role.READER,
    False,
    GetRunJournalParams,
    GetRunJournalResult,
    "Gives the entries of a run in order.",
    get_run_journal,
)
