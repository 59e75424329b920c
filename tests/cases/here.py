"""Runs advanced by the test process itself, one at a time, for tests about rows and not about workers."""

from functools import cache
from typing import Any

from cases.installation import entries, look
from django.db import connection

from runs import clock, queue
from runs.models import Message, Run
from runs.starting import start
from runs.workers.pool import Pool


@cache
def _pool(database: str) -> Pool:
    """Of one database: the keeper of a pool keeps its connection for a while after the last run."""
    return Pool()


def drain(*, but: int = 100) -> None:
    """Advance what is queued until nothing is, at most `but` times."""
    for _ in range(but):
        claimed = queue.claim("here")
        if not claimed:
            return
        _pool(str(connection.settings_dict["NAME"])).advance(claimed[0])
    raise AssertionError("the queue never empties")


def begun(body: str, **fields: Any) -> Run:
    """The run of that body, advanced until it parks or ends."""
    run = start(f"export default async function (input, ctx) {{\n{body}\n}}\n", **fields).run
    drain()
    return look(run)


def due(run: Run) -> None:
    """Its wake time has come."""
    Run.objects.filter(pk=run.pk).update(wake_at="2020-01-01T00:00Z")
    clock.tick(dead_workers=False)


def inbox(run: Run) -> list[Any]:
    """The payloads that nothing has taken."""
    kept = Message.objects.filter(run=run, taken_seq=None).order_by("pk")
    return [message.payload for message in kept]


def events(run: Run) -> list[Any]:
    """What the waits of the run came to: payloads, and None for a timeout."""
    return [entry.body.get("payload") for entry in entries(run, "event")]
