"""Making the row of a run, with its journal and its deadline: one way for what is started, delegated, continued and
forked, so that none of them forgets what another has. Whoever makes runs nudges, once for all of them."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from journal import store
from runs import places
from runs.conf import conf
from runs.ids import new_id
from runs.inserting import insert
from runs.models import Run, Source
from runs.realm import REALM_VERSION

_WORK = (
    *("kind", "agent", "source_id", "script_version_id", "script_id", "title"),
    *("owner_id", "origin", "budget", "max_attempts"),
)
_TURN = ("queue", "priority", "concurrency_key", "concurrency_limit")
_PLACE = ("parent_id", "parent_call_seq", "parent_step", "root_id", "depth", "chain")


def make(run_id: str | None = None, *, new_source: Source | None = None, **fields: Any) -> Run:
    """A queued run of these fields, for the caller's transaction; the root of a tree and the first of a chain unless
    they say otherwise. `new_source` (`Source.of`) is written along with it, unless its content is there."""
    run_id = run_id or new_id()
    alone = {"root_id": run_id, "chain": run_id, "deadline_at": deadline(fields.get("budget") or {})}
    if (key := fields.get("concurrency_key")) is not None:
        places.keep(key)
    if new_source is not None:
        fields["source"] = new_source
    run = Run(id=run_id, journal=store.fresh(run_id, REALM_VERSION), **alone | fields)
    insert(run, new_source)
    return run


def deadline(budget: dict[str, Any], begins: datetime | None = None) -> datetime:
    """By when a run must have ended that begins at that moment, or now."""
    return (begins or timezone.now()) + timedelta(seconds=budget.get("wallSeconds", conf().wall_seconds))


def of_child(parent: Run) -> dict[str, Any]:
    """What a child has from its parent: its owner, its turn, and a place below it. No concurrency key: a parent that
    waits for its children must never keep them from running."""
    fields = _of(parent, "owner_id", "queue", "priority", "root_id")
    return fields | {"origin": "delegate", "parent": parent, "depth": parent.depth + 1}


def of_successor(run: Run) -> dict[str, Any]:
    """What the next run of a chain has from the one that ends: all that it is, and its place in the tree."""
    return _of(run, *_WORK, *_TURN, *_PLACE, "schedule") | {"continued_from": run}


def of_fork(run: Run) -> dict[str, Any]:
    """What a fork has from the run that it leaves: all that it is, and no place in its tree."""
    return _of(run, *_WORK, *_TURN, "input") | {"origin": "fork", "forked_from": run}


def _of(run: Run, *names: str) -> dict[str, Any]:
    return {name: getattr(run, name) for name in names}
