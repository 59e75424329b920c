"""The queue: who holds which run. A claim takes a lease and a new fence; every move of the holder carries the fence."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db import connection, transaction
from django.db.models import F, Max, Q

from runs import claiming, nudges, places, times
from runs.conf import conf
from runs.lifecycle import Move, Status, move
from runs.locking import passable, upwards
from runs.models import Message, Run
from runs.watching import hints

_ROUNDS = 50  # of a claim that meets one full concurrency key after the other


def runnable() -> bool:
    """Whether a claim may find anything."""
    return any(claiming.anything())


def claim(worker: str, limit: int = 1, *, only: str | None = None) -> list[Run]:
    """Up to `limit` queued runs, now held by `worker`: running, a lease, a new fence, source and journal loaded.

    Looking in vain costs no write transaction.
    """
    asked = times.steady()
    runs = _claim_some(worker, limit, only)
    for run in runs:
        run.claimed_at = asked
    return runs


def _claim_some(worker: str, limit: int, only: str | None) -> list[Run]:
    if only is not None:
        return _claim(worker, 1, only)[0]
    if connection.vendor == "postgresql" and (at_once := claiming.at_once(worker, limit)) is not None:
        hints.changed(*(run.pk for run in at_once))
        return at_once
    queued, freed = claiming.anything()
    if not (queued or freed):
        return []
    if freed:
        places.readmit()
    claimed: list[Run] = []
    for _ in range(_ROUNDS):  # a transaction each: a claim locks keys once in it, in their order
        runs, held_back = _claim(worker, limit - len(claimed), None)
        claimed += runs
        if not held_back or len(claimed) == limit:
            return claimed
    nudges.send()  # there may be more behind those that have no place
    return claimed


def _claim(worker: str, limit: int, only: str | None) -> tuple[list[Run], int]:
    """The runs claimed, and how many were held back instead."""
    with transaction.atomic():
        candidates = claiming.candidates(limit, only)
        ids = places.fitting(candidates)
        held = claiming.hold(worker, ids) if ids else []
        hints.changed(*ids)
    return held, len(candidates) - len(ids)


def release(held: Mapping[str, int]) -> int:
    """Hand runs back ({id: fence}): queued, and nudged for, so that the next claim need not wait for the clock. It
    costs no attempt."""
    with transaction.atomic():
        keys = Run.objects.filter(pk__in=list(held), concurrency_key__isnull=False)
        mine = reduce(or_, (Q(pk=run_id, fence=fence) for run_id, fence in held.items()), Q(pk__in=[]))
        if len(held) > 1:
            upwards(Run.objects.filter(mine))
        moved = places.leave(
            Run.objects.filter(mine), Move.RELEASE, *keys.values_list("concurrency_key", flat=True).distinct()
        )
        if moved:
            nudges.send()
            hints.changed(*held)
    return moved


@dataclass(frozen=True, slots=True)
class Standing:
    """What the database says of a held run. `cancel`: why it is to be canceled, perhaps ""; None when it is not."""

    held: bool
    cancel: str | None = None


def renew(held: Mapping[str, int]) -> set[str]:
    """Prolong the leases of held runs ({id: fence}); which they were. One that is lost is left alone, and of many one
    that is being written at the moment."""
    until = times.now(plus_seconds=conf().lease_seconds)
    renewed: set[str] = set()
    with transaction.atomic():
        for fence, ids in _by_fence(held).items():
            mine = passable(Run.objects.filter(pk__in=ids, fence=fence, status=Status.RUNNING), many=len(held) > 1)
            whole = mine.update(lease_until=until) == len(ids)
            renewed.update(ids if whole else mine.values_list("pk", flat=True))  # locked by the UPDATE, so the same
    return renewed


def standing(held: Mapping[str, int]) -> dict[str, Standing]:
    """Whether each run of {id: fence} is still ours and whether its cancellation was asked for."""
    rows = Run.objects.filter(pk__in=list(held))
    columns = rows.values_list("pk", "fence", "status", "cancel_requested_at", "cancel_reason")
    found = {
        pk: Standing(held[pk] == fence and status == Status.RUNNING, reason if at else None)
        for pk, fence, status, at, reason in columns
    }
    return {pk: found.get(pk, Standing(held=False)) for pk in held}


def mail(run_ids: Iterable[str]) -> dict[str, int]:
    """For each of the runs whose inbox holds something, the id of its newest message."""
    kept = Message.objects.filter(run__in=list(run_ids), taken_seq=None).values_list("run_id")
    return dict(kept.annotate(newest=Max("pk")))


def _by_fence(held: Mapping[str, int]) -> dict[int, Sequence[str]]:
    grouped: dict[int, list[str]] = {}
    for run_id, fence in held.items():
        grouped.setdefault(fence, []).append(run_id)
    return dict(grouped)


def wake(ids: Collection[str]) -> int:
    """Queue parked runs whose time has come, each as of when it was due: what has waited longest is claimed first.
    One that has failed keeps its error, by which whoever claims it knows that another attempt is to begin."""
    due = Run.objects.filter(pk__in=ids, wake_at__lte=times.now())
    with transaction.atomic():
        if woken := move(passable(due, many=len(ids) > 1), Move.WAKE, queued_at=F("wake_at")):
            nudges.nudge()
            hints.changed(*ids)
    return woken
