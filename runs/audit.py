"""What operators did to runs: who, what, why. The one place that writes Django's `LogEntry` for a verb, and reads it.

One kind of record for pages, admin, API and commands, so that Django's own history shows it all. A `LogEntry` needs a
user, and a command at a shell has none: those are of the inactive user `manage.py`, who cannot sign in and is made when
first needed; the facts say who was at the shell. A verb that was refused is not recorded, and one that was done is
recorded right behind it.
"""

import getpass
import json
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from runs.access import Person
from runs.activity import one_line
from runs.models import Run

SHELL = "manage.py"
AT_SHELL = "shell"  # the fact that says who was there, and on which host
REASON_MAX = 500
NEWEST = 100


@dataclass(frozen=True, slots=True)
class Deed:
    """`verb` was done to a run at `at` by the user of that name; `facts` are JSON values of that verb."""

    at: datetime
    who: str
    verb: str
    reason: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """ "vera: retry (the bank is back), attempt 2, call 4"."""
        why = f" ({self.reason})" if self.reason else ""
        told = [f"{name} {value}" for name, value in self.facts.items() if isinstance(value, str | int)]
        return ", ".join([f"{self.who}: {self.verb}{why}", *told])

    def as_dict(self) -> dict[str, Any]:
        return {
            "at": self.at.isoformat(),
            "who": self.who,
            "verb": self.verb,
            "reason": self.reason,
            "facts": self.facts,
        }


def record(user: Person | None, run: Run, verb: str, reason: str = "", **facts: Any) -> None:
    """That the user did `verb` to the run; None for a command. `facts`: JSON values such as the call, the attempt."""
    record_all(user, [run], verb, reason, **facts)


def record_all(user: Person | None, runs: Iterable[Run], verb: str, reason: str = "", **facts: Any) -> None:
    """The same of several runs in one statement, for a batch of a bulk action."""
    user_id = user.pk if user is not None else None
    if user_id is None:
        user_id, facts = _shell(), facts | {AT_SHELL: _login()}
    of_runs = ContentType.objects.get_for_model(Run)
    message = f"{verb}: {one_line(reason.strip(), REASON_MAX)}".removesuffix(": ")
    message += f"\n{json.dumps(facts)}" if facts else ""
    LogEntry.objects.bulk_create(
        LogEntry(
            user_id=user_id,
            content_type=of_runs,
            object_id=run.pk,
            object_repr=one_line(run.title or run.pk, 200),
            action_flag=CHANGE,
            change_message=message,
        )
        for run in runs
    )


def record_other(user: Person, thing: Model, named: str, what: str, reason: str = "", flag: int = CHANGE) -> None:
    """That the user did `what` to something else than a run, such as a schedule; `flag` is one of Django's."""
    assert user.pk is not None, "nobody who is not signed in does it"
    message = f"{what}: {one_line(reason.strip(), REASON_MAX)}".removesuffix(": ")
    LogEntry.objects.create(
        user_id=user.pk,
        content_type=ContentType.objects.get_for_model(thing),
        object_id=str(thing.pk),
        object_repr=one_line(named, 200),
        action_flag=flag,
        change_message=message,
    )


def deeds(run: Run, newest: int = NEWEST) -> list[Deed]:
    """The newest that were done to the run, the newest first; one query."""
    of_runs = ContentType.objects.get_for_model(Run)
    rows = LogEntry.objects.filter(object_id=run.pk, content_type=of_runs).select_related("user").order_by("-pk")
    return [_deed(row) for row in rows[:newest]]


def named(bulk: str, run_ids: list[str]) -> set[str]:
    """Those of the runs whose log names this bulk action: it has touched them. One query."""
    of_runs = ContentType.objects.get_for_model(Run)
    rows = LogEntry.objects.filter(object_id__in=run_ids, content_type=of_runs)
    told = rows.filter(change_message__contains=json.dumps({"bulk": bulk})[1:-1])
    return {str(pk) for pk in told.values_list("object_id", flat=True)}


def _deed(row: LogEntry) -> Deed:
    """Also of an entry that somebody else has written about the run."""
    told, _, facts = row.change_message.partition("\n")
    verb, _, reason = told.partition(": ")
    who = row.user.get_username()
    try:
        read = json.loads(facts) if facts else {}
    except ValueError:
        return Deed(row.action_time, who, row.get_change_message())
    return Deed(row.action_time, who, verb, reason, read if isinstance(read, dict) else {})


def _shell() -> int:
    users = get_user_model().objects
    user, _ = users.get_or_create(username=SHELL, defaults={"is_active": False, "password": make_password(None)})
    return int(user.pk)


def _login() -> str:
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (OSError, KeyError):  # a user without a name, as in a container
        return socket.gethostname()
