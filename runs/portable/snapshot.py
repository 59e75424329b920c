"""A run as it stands in the database, read in one look: a worker may be writing to it at the same moment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from journal import codec
from journal.errors import JournalDamaged
from journal.models import RunJournal
from runs import audit
from runs.copies import micros
from runs.errors import NotPossible, UnknownRun
from runs.models import Message, Run, Source
from runs.portable.facts import facts_of
from runs.portable.format import DEEDS_MAX
from runs.reading.moment import one_look


@dataclass(frozen=True, slots=True)
class Kept:
    """One entry of a journal. `data` is its CBOR as it is stored, and `body` what that says."""

    seq: int
    at: int
    superseded_by: int | None
    data: bytes
    body: dict[str, Any]

    @property
    def call_seq(self) -> int:
        return int(self.body["callSeq"])


@dataclass(slots=True)
class Snapshot:
    """`facts` (facts.py), `messages` ({kind, name, payload, ...}) and `deeds` ([at, who, verb, reason, facts]) with
    their JSON values as values. In memory it is as large as the journal, which has a cap."""

    facts: dict[str, Any]
    entries: list[Kept]
    messages: list[dict[str, Any]]
    deeds: list[list[Any]]

    @property
    def run_id(self) -> str:
        return str(self.facts["id"])

    def source_keys(self) -> set[str]:
        """Of its script, and of those that its children were made of."""
        keys = {entry.body["scriptSha256"] for entry in self.entries if "scriptSha256" in entry.body}
        return keys | {self.facts["source"]} - {None}


def snapshot(run_id: str, *, with_deeds: bool = False) -> Snapshot:
    """Raises `UnknownRun`, and `NotPossible` where an entry cannot be decoded."""
    with one_look():
        found = Run.objects.select_related("journal", "owner", "script_version__script").filter(pk=run_id)
        run = found.first()
        if run is None:
            raise UnknownRun(run_id)
        try:
            entries = list(_entries(run.journal_id))
        except JournalDamaged as damaged:
            raise NotPossible(f"{damaged}; manage.py checkjournal {run_id} says what else is wrong") from None
        return Snapshot(facts_of(run), entries, _messages(run), _deeds(run) if with_deeds else [])


def sources(keys: Sequence[str]) -> Iterator[str]:
    """The texts of these content keys, in their order; raises `NotPossible` where one is gone."""
    for key in keys:
        text = Source.objects.filter(pk=key).values_list("text", flat=True).first()
        if text is None:
            raise NotPossible(f"the script {key} is gone from the database; restore it from a backup")
        yield text


def _entries(journal_id: str) -> Iterator[Kept]:
    rows = RunJournal.objects.filter(run_id=journal_id).order_by("seq")
    for seq, at, superseded_by, data in rows.values_list("seq", "at", "superseded_by", "entry"):
        try:
            body = codec.decode(data)
            int(body["callSeq"])
        except Exception as error:
            raise JournalDamaged(journal_id, seq, str(error)) from error
        yield Kept(seq, at, superseded_by, bytes(data), body)


def _messages(run: Run) -> list[dict[str, Any]]:
    rows = list(Message.objects.filter(run=run).select_related("sender").order_by("pk"))
    told = [_message(row) for row in rows]
    if run.is_copy:
        assert run.imported is not None
        for message, (dedup_id, sender) in zip(told, run.imported["inbox"], strict=True):
            message |= {"dedupId": dedup_id, "sender": sender}
    return told


def _message(row: Message) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "name": row.name,
        "payload": row.payload,
        "callSeq": row.call_seq,
        "waitId": row.wait_id,
        "dedupId": row.dedup_id,
        "sender": row.sender.get_username() if row.sender else None,
        "at": micros(row.created_at),
        "takenSeq": row.taken_seq,
    }


def _deeds(run: Run) -> list[list[Any]]:
    """The oldest first, without the host that somebody was at. Those of a copy are the ones that came with it: what is
    done to it here is another matter."""
    if run.is_copy:
        assert run.imported is not None
        return list(run.imported["deeds"])
    found = reversed(audit.deeds(run, DEEDS_MAX))
    return [[micros(deed.at), deed.who, deed.verb, deed.reason, _placeless(deed.facts)] for deed in found]


def _placeless(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name != audit.AT_SHELL}
