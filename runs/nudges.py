"""Nudges: q2 messages that say "look at the database". They may be lost or doubled without harm.

With the ORM broker a nudge commits with what it announces; with Redis it is sent after the commit, and one that is lost
in between is made good by the clock.
"""

import logging

from django.conf import settings
from django.db import connection, transaction
from django_q.brokers import get_broker
from django_q.tasks import async_task

TASK = "runs.tasks.advance"
logger = logging.getLogger("runs")


def nudge() -> None:
    """Wake a worker, unless a message is pending that makes one look after the present transaction has committed.

    A run that was queued a moment ago is no sign of such a message: its message may have been taken already, by a
    worker whose claim cannot see what has not yet committed, and then everybody would wait for the clock.
    """
    if not settings.Q_CLUSTER.get("orm"):
        transaction.on_commit(_nudge_after_commit)
    elif connection.vendor != "sqlite" or not pending():  # writers of SQLite take turns: to take it is to come later
        send()


def send() -> None:
    """One q2 task, in the present transaction where the broker shares it."""
    if settings.Q_CLUSTER.get("orm"):
        async_task(TASK)
    else:
        transaction.on_commit(_send_after_commit)


def pending() -> bool:
    """Whether the broker still holds a message that nobody has come for; then another one would not help."""
    try:
        return bool(get_broker().queue_size())
    except Exception as error:  # noqa: BLE001  (a broker is whatever q2 has been given)
        logger.warning("the broker does not answer: %s", error)
        return True


def _nudge_after_commit() -> None:
    if not pending():
        _send_after_commit()


def _send_after_commit() -> None:
    try:
        async_task(TASK)
    except Exception as error:  # noqa: BLE001  (the run is committed and must not seem to have failed)
        logger.warning("no nudge was sent, the clock sends another one: %s", error)
