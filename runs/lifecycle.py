"""The states of a run and every move between them, on one page.

    queued ──claim──▶ running ──park──▶ waiting ──wake──▶ queued
                         │ └──release / lease ended──▶ queued
                         └──▶ succeeded | failed | canceled
                                   └──────────┴─────────┴──revive──▶ queued    (waiting ──revive──▶ queued)

    imported: no move leads there and none leads away; `runs.portable` inserts the rows as they are.

Terminal is what nothing but `revive` leaves: the move of an operator, who begins another attempt (retry, rewind).

A move is one conditional UPDATE that tells whether it happened. Nobody assigns `status` and saves.
"""

from enum import StrEnum
from typing import Any

from django.db import models
from django.utils import timezone


class Status(models.TextChoices):
    """A sentence per state: what it means, who moves it on, what a crash does."""

    QUEUED = "queued", "Queued: runnable; a worker claims it. Survives any crash."
    RUNNING = "running", "Running: a worker holds its lease. When the worker dies, the clock queues it again."
    WAITING = "waiting", "Waiting: parked until its wake time or a signal; holds no worker, memory or connection."
    SUCCEEDED = "succeeded", "Succeeded: the script returned; the output is stored."
    FAILED = "failed", "Failed: the error says why and what to do; it can be retried."
    CANCELED = "canceled", "Canceled: stopped by a person or by its parent."
    IMPORTED = "imported", "Imported: a read-only copy of a run from a file. Nothing moves it; it can be forked."


class Move(StrEnum):
    """The names of the moves."""

    CLAIM = "claim"
    PARK = "park"
    WAKE = "wake"
    RELEASE = "release"
    SUCCEED = "succeed"
    FAIL = "fail"
    CANCEL = "cancel"
    REVIVE = "revive"


_Q, _R, _W = Status.QUEUED, Status.RUNNING, Status.WAITING
_S, _F, _C = Status.SUCCEEDED, Status.FAILED, Status.CANCELED

MOVES: dict[Move, tuple[frozenset[Status], Status]] = {
    Move.CLAIM: (frozenset({_Q}), _R),
    Move.PARK: (frozenset({_R}), _W),
    Move.WAKE: (frozenset({_W}), _Q),
    Move.RELEASE: (frozenset({_R}), _Q),
    Move.SUCCEED: (frozenset({_R}), _S),
    Move.FAIL: (frozenset({_Q, _R, _W}), _F),
    Move.CANCEL: (frozenset({_Q, _R, _W}), _C),
    Move.REVIVE: (frozenset({_W, _S, _F, _C}), _Q),
}

_LEFT_BY_ITSELF = frozenset().union(*(sources for name, (sources, _) in MOVES.items() if name is not Move.REVIVE))
TERMINAL = tuple(status for status in Status if status not in _LEFT_BY_ITSELF)

# What people call the kinds of what a parked run waits for.
WAITS_ON = {"wait": "signal", "timer": "timer", "child": "child", "retry": "retry", "attempt": "retry"}


def touch(runs: models.QuerySet[Any], **changes: Any) -> int:
    """Any other write to the rows of runs that people are to see: `updated_at` tells who watches what has changed."""
    return runs.update(updated_at=timezone.now(), **changes)


def move(runs: models.QuerySet[Any], name: Move, **changes: Any) -> int:
    """Make the move for every run of the query set that is in a state it starts from; returns how many moved.

    `changes` are set along with the status, and with what `written` says.
    """
    sources, _ = MOVES[name]
    if "wait" in changes:
        changes |= {"waits_on": waits_on(changes["wait"])}
    return runs.filter(status__in=sources).update(**written(name) | changes)


def written(name: Move) -> dict[str, Any]:
    """What a move sets: the status and what it implies. A terminal run, and only it, has `finished_at`, only a running
    one has a lease, only a waiting one a wake time; and a queued one is held back by `runs.places` alone."""
    _, target = MOVES[name]
    now = timezone.now()
    implied: dict[str, Any] = {"status": target, "updated_at": now, "held_back": False}
    implied |= {"finished_at": now if target in TERMINAL else None}
    if target != Status.RUNNING:
        implied |= {"lease_until": None, "worker": ""}
    if target != Status.WAITING:
        implied |= {"wake_at": None, "wait": None, "waits_on": ""}
    if target == Status.QUEUED:
        implied |= {"queued_at": now}
    return implied


def waits_on(wait: list[dict[str, Any]]) -> str:
    """The column that says it: the kinds of all parts, by comma."""
    return ",".join(sorted({WAITS_ON[part["kind"]] for part in wait}))
