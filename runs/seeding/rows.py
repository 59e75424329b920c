"""The rows of made runs: a story under an id, at a time."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import uuid4

from django.db import connection
from django.db.models import Model

from journal import codec
from journal.models import Journal, RunJournal
from runs.columns import error_fields
from runs.host import Canceled, Failed, Parked, Succeeded
from runs.ids import new_id
from runs.lifecycle import TERMINAL, waits_on
from runs.models import Run, ScriptVersion, Source
from runs.realm import REALM_VERSION
from runs.seeding.stories import Story, offsets, since_start

ORIGIN = "seedruns"
_LIVES = timedelta(days=3650)  # the clock leaves made runs alone
_NEVER = timedelta(days=365)
_SCHEDULED = 0.4  # of the reports
_KEYED = 0.2

Row = dict[str, Any]


@dataclass(slots=True)
class Rows:
    """What is written together, by table."""

    journals: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    entries: list[Row] = field(default_factory=list)
    scripts: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cast:
    """What made runs refer to, which is there before they are."""

    versions: dict[str, ScriptVersion]
    sources: dict[str, Source]
    owners: Sequence[int]


class Maker:
    """Makes rows; `with_entries` says whether the journals are written too."""

    def __init__(self, cast: Cast, rng: random.Random, *, with_entries: bool) -> None:
        self._cast, self._rng, self._with_entries = cast, rng, with_entries
        self._blank = {model: _blank(model) for model in (Journal, Run, RunJournal)}
        self._columns: dict[int, Row] = {}

    def add(self, rows: Rows, story: Story, began: datetime, key: str | None = None) -> int:
        """The run and its children, of which the first has the key; how many runs that were."""
        rng = self._rng
        who = {
            "owner_id": rng.choice([None, *self._cast.owners]),
            "queue": rng.choice((Run.Queue.INTERACTIVE, Run.Queue.BACKGROUND)),
            "origin": ORIGIN,
        }
        if story.script == "report" and rng.random() < _SCHEDULED:
            who |= {"schedule": f"seed-{story.input['region']}", "origin": "schedule"}
        if key is None and rng.random() < _KEYED:
            key = f"order/{uuid4().hex[:15]}"  # never one that another go has given
        root = self._run(story, began, who | {"idempotency_key": key})
        of_parent = {"parent_id": root["id"], "root_id": root["id"], "depth": 1, "origin": "delegate"}
        named: dict[str, str] = {}
        made = [root]
        for seq, (name, child) in enumerate(story.children.items(), 1):
            at = began + timedelta(milliseconds=seq)
            made.append(self._run(child, at, who | of_parent | {"parent_call_seq": seq}))
            named[name] = made[-1]["id"]
        rows.runs += made
        for run, told in zip(made, [story, *story.children.values()], strict=True):
            entries = list(self._entries(run["id"], told, run["created_at"], named)) if self._with_entries else []
            rows.entries += entries
            if entries:
                rows.scripts += _scripts(run["id"], told)
            rows.journals.append(self._journal(run["id"], entries))
        return len(made)

    def _run(self, story: Story, began: datetime, more: Row) -> Row:
        run_id = new_id(int(began.timestamp() * 1000))
        ended = began + timedelta(milliseconds=max(1, story.lasted_ms))
        version = self._cast.versions.get(story.script)
        own = {
            "id": run_id,
            "journal_id": run_id,
            "root_id": run_id,
            "chain": run_id,
            "title": story.title,
            "script_version_id": version.pk if version else None,
            "script_id": version.script_id if version else None,
            "created_at": began,
            "queued_at": began,
            "started_at": began,
            "updated_at": ended,
            "finished_at": ended if story.status in TERMINAL else None,
            "deadline_at": began + _LIVES,
            "fence": 1,
        }
        row = self._blank[Run] | self._told(story) | own | more
        if isinstance(story.outcome, Parked):
            row["wake_at"] = self._wake_at(story.outcome)
        return row

    def _wake_at(self, parked: Parked) -> datetime | None:
        """Far from now, whenever it began: made runs are nobody's work."""
        if parked.wake_at is None:
            return None
        return datetime.now(UTC) + _NEVER + timedelta(milliseconds=since_start(parked.wake_at))

    def _told(self, story: Story) -> Row:
        """The columns that the story alone decides, encoded once."""
        if (known := self._columns.get(id(story))) is not None:
            return known
        row: Row = {"status": story.status.value, "signs": int(story.signs), "input": codec.encode(story.input)}
        row |= {"source_id": self._cast.sources[story.source].pk}
        row["plan"] = None if story.plan is None else codec.encode(story.plan)
        match story.outcome:
            case Succeeded(output):
                row["output"] = codec.encode(output)
            case Failed(error) | Canceled(error):
                row |= error_fields(error) | {"error": codec.encode(error)}
            case Parked(wait=wait):
                row |= {"wait": codec.encode(wait), "waits_on": waits_on(wait)}
        self._columns[id(story)] = row
        return row

    def _journal(self, run_id: str, entries: Sequence[Row]) -> Row:
        return self._blank[Journal] | {
            "run_id": run_id,
            "next_seq": len(entries) + 1,
            "last_call_seq": max((entry["call_seq"] for entry in entries), default=0),
            "bytes": sum(len(entry["entry"]) for entry in entries),
            "fence": 1,
            "realm_version": REALM_VERSION,
        }

    def _entries(self, run_id: str, story: Story, began: datetime, named: dict[str, str]) -> Iterator[Row]:
        start = int(began.timestamp() * 1000)
        for after, entry in offsets(story):
            data = entry.data
            if (child := entry.body.get("childRunId")) in named:
                data = codec.encode(entry.body | {"childRunId": named[child]})
            yield {
                "run_id": run_id,
                "seq": entry.seq,
                "call_seq": entry.call_seq,
                "kind": entry.kind,
                "at": start + after,
                "entry": data,
                "superseded_by": None,
            }


def _scripts(run_id: str, story: Story) -> list[Row]:
    """Those that the entries of the story name."""
    named = {entry.named_script for entry in story.entries}
    return [{"run_id": run_id, "sha256": sha256} for sha256 in sorted(filter(None, named))]


def columns_of(model: type[Model]) -> list[str]:
    return [field.column for field in fields_of(model)]


def table_of(model: type[Model]) -> str:
    return model._meta.db_table  # noqa: SLF001  (public by its documentation)


def _blank(model: type[Model]) -> Row:
    """Every column with its default, as it is stored: what other columns come to be needs no mention here."""
    return {field.column: field.get_db_prep_save(field.get_default(), connection) for field in fields_of(model)}


@cache
def fields_of(model: type[Model]) -> list[Any]:
    """Those that have a column, in the order of the table."""
    return [field for field in model._meta.concrete_fields if field.column]  # noqa: SLF001  (public by its documentation)
