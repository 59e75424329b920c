"""Nudges: q2 messages that say "look at the database". They may be lost or doubled without harm.

With the ORM broker a nudge commits with what it announces; with Redis it is sent after the commit, and one that is lost
in between is made good by the clock.

A message through q2 costs more than a short run. So with Redis a *sign* says that somebody will look and has not yet
begun to; whoever finds it up need not send. A worker that has nothing left to do takes it down and then looks once
more: what commits before that look is seen by it, what commits after it finds no sign. It comes down by itself when its
worker dies.
"""

import logging
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django_q.brokers import get_broker
from django_q.tasks import async_task

TASK = "runs.tasks.advance"
_SIGN_MS = 1_000
logger = logging.getLogger("runs")


def nudge() -> None:
    """Wake a worker, unless one is known to look after the present transaction has committed.

    A run that was queued a moment ago is no sign of that: its message may have been taken already, by a worker whose
    claim cannot see what has not yet committed, and then everybody would wait for the clock.
    """
    if not in_transaction():
        transaction.on_commit(_nudge_after_commit)
    elif connection.vendor != "sqlite" or not pending():  # writers of SQLite take turns: to take it is to come later
        send()


def send() -> None:
    """One q2 task, in the present transaction where the broker shares it."""
    if in_transaction():
        async_task(TASK, broker=_broker())
    else:
        transaction.on_commit(_send_after_commit)


def in_transaction() -> bool:
    """Whether a nudge is a row that commits with what it announces."""
    return bool(settings.Q_CLUSTER.get("orm"))


def pending() -> bool:
    """Whether the broker still holds a message that nobody has come for; then another one would not help."""
    try:
        return bool(_broker().queue_size())
    except Exception as error:  # noqa: BLE001  (a broker is whatever q2 has been given)
        logger.warning("the broker does not answer: %s", error)
        return True


def awake() -> None:
    """Called by a worker before a look that another look will follow: for a second nobody need nudge."""
    if _has_sign():
        _sign("set", 1, px=_SIGN_MS)


def asleep() -> None:
    """Called by a worker before its last look: what commits from now on has to nudge again."""
    if _has_sign():
        _sign("delete")


def _broker() -> Any:
    return _broker_at(settings.Q_CLUSTER.get("redis"))


@cache
def _broker_at(redis: str | None) -> Any:
    """Kept: with Redis each one opens a connection of its own. Its pool serves all threads, also after a fork."""
    return get_broker()


def _has_sign() -> bool:
    return bool(settings.Q_CLUSTER.get("redis"))


def _sign(command: str, *arguments: Any, **options: Any) -> Any:
    """The answer of Redis; None where there is none, and then the clock nudges."""
    try:
        broker = _broker()
        return getattr(broker.connection, command)(f"{broker.list_key}:awake", *arguments, **options)
    except Exception as error:  # noqa: BLE001  (as in `pending`)
        logger.warning("the broker does not answer: %s", error)
        return None


def _nudge_after_commit() -> None:
    if _has_sign() and not _sign("set", 1, px=_SIGN_MS, nx=True):
        return
    if not pending():
        _send_after_commit()


def _send_after_commit() -> None:
    try:
        async_task(TASK, broker=_broker())
    except Exception as error:  # noqa: BLE001  (the run is committed and must not seem to have failed)
        logger.warning("no nudge was sent, the clock sends another one: %s", error)
