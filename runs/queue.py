"""The queue: who holds which run. A claim takes a lease and a new fence; every move of the holder carries the fence."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F, Max
from django.db.models.functions import Coalesce
from django.utils import timezone

from journal import store
from runs import nudges, places, times
from runs.conf import conf
from runs.lifecycle import Move, Status, move
from runs.models import Message, Run
from runs.watching import hints

# Interactive before background. Plain SQL: a claim is on the path of every run.
_COLUMNS = "SELECT id, concurrency_key, concurrency_limit, queued_at FROM runs_run WHERE status = 'queued'"
_QUEUED = f"{_COLUMNS} AND NOT held_back ORDER BY queue DESC, priority DESC, queued_at LIMIT %s"
_QUEUED_ONE = f"{_COLUMNS} AND id = %s LIMIT %s"
_ROUNDS = 50  # of a claim that meets one full concurrency key after the other


def runnable() -> bool:
    """Whether a claim may find anything; a read, so that looking in vain costs no write transaction."""
    return Run.objects.filter(status=Status.QUEUED, held_back=False).exists() or places.any_freed()


def claim(worker: str, limit: int = 1, *, only: str | None = None) -> list[Run]:
    """Up to `limit` queued runs, now held by `worker`: running, a lease, a new fence, source and journal loaded."""
    if only is not None:
        return _claim(worker, 1, only)[0]
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
        candidates = _queued(limit, only)
        ids = places.fitting(candidates)
        if not ids:
            return [], len(candidates)
        now = timezone.now()
        move(
            Run.objects.filter(pk__in=ids),
            Move.CLAIM,
            fence=F("fence") + 1,
            worker=worker,
            lease_until=times.now(plus_seconds=conf().lease_seconds),
            started_at=Coalesce("started_at", now),
        )
        store.take_fence(ids)
        hints.changed(*ids)
        held = {run.pk: run for run in Run.objects.filter(pk__in=ids).select_related("source", "journal")}
    return [held[pk] for pk in ids], len(candidates) - len(ids)


def _queued(limit: int, only: str | None) -> list[places.Candidate]:
    """What is next, locked against other claims where the database can lock rows."""
    sql = _QUEUED if only is None else _QUEUED_ONE
    if connection.features.has_select_for_update_skip_locked:
        sql += " FOR UPDATE SKIP LOCKED"
    with connection.cursor() as cursor:
        cursor.execute(sql, [limit] if only is None else [only, limit])
        return [places.Candidate(*row) for row in cursor.fetchall()]


def release(held: Mapping[str, int]) -> int:
    """Hand runs back ({id: fence}): queued, and nudged for, so that the next claim need not wait for the clock. It
    costs no attempt."""
    with transaction.atomic():
        moved = sum(move(Run.objects.filter(pk=run_id, fence=fence), Move.RELEASE) for run_id, fence in held.items())
        if moved:
            keyed = Run.objects.filter(pk__in=list(held), concurrency_key__isnull=False)
            places.left(*keyed.values_list("concurrency_key", flat=True))
            nudges.send()
            hints.changed(*held)
    return moved


@dataclass(frozen=True, slots=True)
class Standing:
    """What the database says of a held run. `cancel`: why it is to be canceled, perhaps ""; None when it is not."""

    held: bool
    cancel: str | None = None


def renew(held: Mapping[str, int]) -> None:
    """Prolong the leases of held runs ({id: fence}); one that is lost is left alone."""
    until = times.now(plus_seconds=conf().lease_seconds)
    with transaction.atomic():
        for fence, ids in _by_fence(held).items():
            Run.objects.filter(pk__in=ids, fence=fence, status=Status.RUNNING).update(lease_until=until)


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
    """Queue parked runs whose time has come, each as of when it was due: what has waited longest is claimed first. Not
    those that wait for another attempt: see `runs.waking`."""
    due = Run.objects.filter(pk__in=ids, wake_at__lte=times.now(), error_code="")
    with transaction.atomic():
        if woken := move(due, Move.WAKE, queued_at=F("wake_at")):
            nudges.nudge()
            hints.changed(*ids)
    return woken
