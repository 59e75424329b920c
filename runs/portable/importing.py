"""From a file to the database: copies that are only read. A file is read twice: first to the end, with nobody waiting,
to know that it is whole and ours; then it is written in one transaction, so that all of it is there or nothing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from journal.entries import Entry
from journal.models import Journal, RunJournal
from runs import audit, rows
from runs.copies import micros, micros_to_time
from runs.errors import BadInput, NotPossible
from runs.lifecycle import Status
from runs.models import Message, Run, Source
from runs.portable.facts import IN_ROW, columns_of
from runs.portable.parts import Told
from runs.portable.reading import File

_ROWS = 500  # of one statement
_IDS = 500  # of one question


@dataclass(frozen=True, slots=True)
class Imported:
    """`created` is False where this very file was imported before, and nothing was written now. `redacted`: the paths
    whose values are not in it."""

    root: str
    runs: int
    entries: int
    sha256: str
    created: bool
    redacted: list[str]

    def as_dict(self) -> dict[str, Any]:
        told = {"id": self.root, "runs": self.runs, "entries": self.entries, "sha256": self.sha256}
        return told | {"created": self.created, "redacted": self.redacted}


@dataclass(slots=True)
class _Looked:
    """What the first reading has found."""

    root: str
    sha256: str
    ids: list[str]
    entries: int
    redacted: set[str]


def import_file(
    path: Path,
    *,
    owner: AbstractBaseUser | None = None,
    dry_run: bool = False,
    told: Callable[[int], None] = lambda _: None,
) -> Imported:
    """The runs of the file as copies of `owner`, or nobody. `told` is given how many bytes have been read more, of
    twice those that the file has.

    Raises `BadFile` for a file that is damaged, foreign or hostile, `NotPossible` where another run has one of its ids,
    `BadInput` for one that cannot be read; nothing was written then.
    """
    try:
        with path.open("rb") as file:
            looked = _look(file, told)
            created = not _is_here(looked)
            if created and not dry_run:
                file.seek(0)
                created = _write(file, looked, owner, told)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read: {error.strerror or error}; name a file that exportrun has made"
        ) from None
    return Imported(looked.root, len(looked.ids), looked.entries, looked.sha256, created, sorted(looked.redacted))


def _counted(file: File, stream: BinaryIO, told: Callable[[int], None]) -> Iterator[Told]:
    before = 0
    for run in file.runs():
        yield run
        told(stream.tell() - before)
        before = stream.tell()


def _look(stream: BinaryIO, told: Callable[[int], None]) -> _Looked:
    file = File(stream)
    ids: list[str] = []
    redacted: set[str] = set()
    for run in _counted(file, stream, told):
        ids.append(run.facts["id"])
        redacted |= set(run.facts["redacted"])
    return _Looked(file.head.root, file.sha256, ids, file.entries, redacted)


def _is_here(looked: _Looked) -> bool:
    """Whether all runs are here, as copies that came with this very file. Raises `NotPossible` where some other run has
    one of the ids."""
    found = 0
    for at in range(0, len(looked.ids), _IDS):
        chunk = looked.ids[at : at + _IDS]
        for run in Run.objects.filter(pk__in=chunk).only("status", "imported").order_by("pk"):
            if not run.is_copy:
                raise NotPossible(
                    f"run {run.pk} is in this database itself; the file holds what it was: look at it here"
                )
            assert run.imported is not None
            if run.imported["sha256"] != looked.sha256:
                raise NotPossible(f"a copy of run {run.pk} is here already, from another file; nothing was written")
            found += 1
        if Journal.objects.filter(pk__in=chunk).count() != Run.objects.filter(pk__in=chunk).count():
            raise NotPossible(
                "the journal of a run of the file is here without its run; manage.py checkjournal names it"
            )
    if 0 < found < len(looked.ids):
        raise NotPossible(f"some runs of this file are here and others were deleted; delete its {found} copies first")
    return found > 0


def _write(stream: BinaryIO, looked: _Looked, owner: AbstractBaseUser | None, told: Callable[[int], None]) -> bool:
    """False where somebody else has imported the same file meanwhile."""
    file, inside = File(stream), set(looked.ids)
    try:
        with transaction.atomic():
            for run in _counted(file, stream, told):
                _write_run(run, looked, inside, owner, tree=file.head.tree)
            if file.sha256 != looked.sha256:
                raise BadInput("the file has changed while it was read; nothing was written")
            root = Run.objects.get(pk=looked.root)
            audit.record(None, root, "import", file=looked.sha256[:12], copies=len(looked.ids))
    except IntegrityError:
        if _is_here(looked):
            return False
        raise
    return True


def _write_run(told: Told, looked: _Looked, inside: set[str], owner: AbstractBaseUser | None, *, tree: bool) -> None:
    for text in told.sources:
        Source.keep(text)
    run = _run(told, looked, inside, tree=tree)
    run.owner_id = owner.pk if owner is not None else None
    _insert([run.journal])
    _insert([run])
    RunJournal.objects.bulk_create(_entries(run.pk, told.entries), batch_size=_ROWS)
    _insert(_message(run.pk, message) for message in told.messages)


def _run(told: Told, looked: _Looked, inside: set[str], *, tree: bool) -> Run:
    """Alone it is the root of its own tree; in a tree it has the relatives that are in the file, and no others: not
    even the id of another run stands in a column that somebody follows."""
    facts, now = told.facts, timezone.now()
    row = columns_of(facts)
    row |= {"root_id": looked.root, "depth": facts["depth"] if tree else 0, "chain": facts["id"], "successor": ""}
    if tree:
        row |= {"parent_id": facts["parent"], "parent_call_seq": facts["parentCallSeq"]}
        row |= {"continued_from_id": facts["continuedFrom"], "successor": facts["successor"]}
        row |= {"chain": facts["chain"] or facts["id"]}
    if facts["forkedFrom"] in inside:
        row |= {"forked_from_id": facts["forkedFrom"]}
    aside = {
        "facts": {name: value for name, value in facts.items() if name not in IN_ROW},
        "inbox": [[message["dedupId"], message["sender"]] for message in told.messages],
        "deeds": told.deeds,
        "sha256": looked.sha256,
        "at": micros(now),
    }
    journal = Journal(
        run_id=facts["id"],
        next_seq=facts["entries"] + 1,
        last_call_seq=facts["lastCallSeq"],
        bytes=facts["journalBytes"],
        cpu_ms=facts["cpuMs"],
        realm_version=facts["realmVersion"],
    )
    return Run(**row, journal=journal, status=Status.IMPORTED, imported=aside, updated_at=now)


def _entries(run_id: str, entries: Iterable[tuple[Entry, int | None]]) -> Iterable[RunJournal]:
    for entry, superseded_by in entries:
        yield RunJournal(
            run_id=run_id,
            seq=entry.seq,
            call_seq=entry.call_seq,
            kind=entry.kind,
            at=entry.at,
            entry=entry.data,
            superseded_by=superseded_by,
        )


def _message(run_id: str, message: dict[str, Any]) -> Message:
    """Without its dedup id: one that is here for a copy must not make a signal to another run a repeated one."""
    return Message(
        run_id=run_id,
        chain=run_id,
        kind=message["kind"],
        name=message["name"],
        payload=message["payload"],
        call_seq=message["callSeq"],
        wait_id=message["waitId"],
        created_at=micros_to_time(message["at"]),
        taken_seq=message["takenSeq"],
    )


def _insert(made: Iterable[Any]) -> None:
    with connection.cursor() as cursor:
        for row in made:
            cursor.execute(*rows.insertion(row, as_it_is=True))
