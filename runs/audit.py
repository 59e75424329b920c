"""What operators did to runs: who, what, why. The one place that writes Django's `LogEntry` for a verb, and reads it.

One kind of record for pages, admin, API and commands, so that Django's own history shows it all. A `LogEntry` needs a
user, and a command at a shell has none: those are of the inactive user `manage.py`, who cannot sign in and is made when
first needed; the facts say who was at the shell. A record is written in the transaction of its verb, by the verbs'
parameter `also`: none is missing, and none tells of what was refused.
"""

import getpass
import json
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from runs.access import Person
from runs.activity import one_line
from runs.models import Run, ScriptVersion

if TYPE_CHECKING:  # what the verbs have come to: they import nothing of the log, nor it of them
    from runs.operations import Done
    from runs.pruning.trees import Tree
    from runs.signals import Sent

SHELL = "manage.py"
AT_SHELL = "shell"  # the fact that says who was there, and on which host
DELETE = "delete"  # the verb
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
    user_id, facts = _who(user, facts)
    of_runs = ContentType.objects.get_for_model(Run)
    message = _message(verb, reason, facts)
    LogEntry.objects.bulk_create(
        LogEntry(
            user_id=user_id,
            content_type=of_runs,
            object_id=run.pk,
            object_repr=one_line(run.title or run.pk, 200),
            action_flag=DELETION if verb == DELETE else CHANGE,
            change_message=message,
        )
        for run in runs
    )


def record_pruned(trees: "Sequence[Tree]", reason: str, **facts: Any) -> None:
    """That a command or a schedule deletes these trees: one record of all, for the transaction that does it."""
    facts |= {"trees": len(trees), "runs": sum(tree.runs for tree in trees)}
    facts |= {"first": trees[0].root_id, "last": trees[-1].root_id}
    user_id, facts = _who(None, facts)
    LogEntry.objects.create(
        user_id=user_id,
        content_type=ContentType.objects.get_for_model(Run),
        object_repr=f"{facts['runs']:,} runs in {facts['trees']:,} trees",
        action_flag=DELETION,
        change_message=_message("prune", reason, facts),
    )


def record_again(
    user: Person | None,
    run: Run,
    done: "Done",
    reason: str,
    *,
    call: int | None = None,
    edited: bool = False,
    **facts: Any,
) -> None:
    """That another attempt of the run has begun, or that it was forked: then also in the log of the fork."""
    facts = ({"call": call} if call else {}) | ({"edited": True} if edited else {}) | facts
    if done.run_id == run.pk:
        record(user, run, done.verb, reason, attempt=done.attempt, **facts)
        return
    record(user, run, done.verb, reason, fork=done.run_id, **facts)
    record(user, Run(pk=done.run_id, title=run.title), done.verb, reason, of=run.pk, **facts)


def record_signal(user: Person | None, sent: "Sent", name: str, reason: str, **facts: Any) -> None:
    """That the run which has it now was sent the signal of that name."""
    taker = Run.objects.only("title").get(pk=sent.run_id)
    record(user, taker, "signal", reason, signal=name, outcome=sent.outcome, **facts)


def record_other(
    user: Person | None, thing: Model, named: str, what: str, reason: str = "", flag: int = CHANGE
) -> None:
    """That the user did `what` to something else than a run, such as a schedule; None for a command. `flag` is one of
    Django's."""
    user_id, facts = _who(user, {})
    LogEntry.objects.create(
        user_id=user_id,
        content_type=ContentType.objects.get_for_model(thing),
        object_id=str(thing.pk),
        object_repr=one_line(named, 200),
        action_flag=flag,
        change_message=_message(what, reason, facts),
    )


def record_schedule(user: Person | None, row: Any, what: str, reason: str = "") -> None:
    """`what` as `runs.schedules` says it; `row` is that of django-q2."""
    flag = {"added": ADDITION, "removed": DELETION}.get(what, CHANGE)
    record_other(user, row, row.name, what, reason, flag)


def record_saved(user: Person | None, version: ScriptVersion, reason: str = "") -> None:
    """That there is another version of a script."""
    flag = ADDITION if version.number == 1 else CHANGE
    record_other(user, version.script, version.script.name, f"saved {version}", reason, flag)


def deeds_of_other(thing: Model, newest: int = NEWEST) -> list[Deed]:
    """The newest that were done to something else than a run, the newest first; one query."""
    rows = LogEntry.objects.filter(object_id=str(thing.pk), content_type=ContentType.objects.get_for_model(thing))
    return [_deed(row) for row in rows.select_related("user").order_by("-pk")[:newest]]


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


def _who(user: Person | None, facts: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    if user is None:
        return _shell(), facts | {AT_SHELL: _login()}
    assert user.pk is not None, "nobody who is not signed in does it"
    return int(user.pk), facts


def _message(verb: str, reason: str, facts: dict[str, Any]) -> str:
    message = f"{verb}: {one_line(reason.strip(), REASON_MAX)}".removesuffix(": ")
    return f"{message}\n{json.dumps(facts)}" if facts else message


def _shell() -> int:
    users = get_user_model().objects
    user, _ = users.get_or_create(username=SHELL, defaults={"is_active": False, "password": make_password(None)})
    return int(user.pk)


def _login() -> str:
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (OSError, KeyError):  # a user without a name, as in a container
        return socket.gethostname()
