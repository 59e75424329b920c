"""Who may do what to which run: one answer for pages, socket, admin and API.

Whoever owns a run may do everything to it but start another one and delete it; for those two, and for the runs of
others, there are the permissions of the model: `runs.view_run`, `runs.start_run`, `runs.signal_run`, ...
"""

import logging
from enum import StrEnum
from typing import NoReturn

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, PermissionsMixin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from runs.ids import is_id
from runs.models import Run

log = logging.getLogger("runs.access")
Person = AbstractBaseUser | AnonymousUser


class Verb(StrEnum):
    """What can be done; each is the permission `runs.<verb>_run`."""

    VIEW = "view"
    START = "start"
    SIGNAL = "signal"
    CANCEL = "cancel"
    RETRY = "retry"
    FORK = "fork"
    DELETE = "delete"  # Django's own; what it takes with it may be another's


_NOT_BY_OWNING = (Verb.START, Verb.DELETE)


class Forbidden(PermissionDenied):
    """The text says, for people, what was not allowed."""


def visible_runs(user: Person) -> QuerySet[Run]:
    """All runs for who may view runs; otherwise only those that the user owns."""
    if _holds(user, Verb.VIEW):
        return Run.objects.all()
    return Run.objects.filter(owner_id=user.pk) if user.is_active else Run.objects.none()


def may(user: Person, verb: Verb | str, run: Run | None = None) -> bool:
    """Whether the user may do that to the run; `start` names no run."""
    owns = run is not None and run.owner_id is not None and run.owner_id == user.pk and user.is_active
    return (owns and verb not in _NOT_BY_OWNING) or _holds(user, verb)


def require(user: Person, verb: Verb | str, run: Run | None = None) -> None:
    """Raises `Forbidden`, and writes a line to the log, unless the user may."""
    if not may(user, verb, run):
        refuse(user, verb, run.pk if run else "")


def refuse(user: Person, verb: Verb | str, run_id: str = "") -> NoReturn:
    """Writes who was refused what, and raises `Forbidden`."""
    told_refused(user, verb, run_id)
    what = "start runs" if verb == Verb.START else f"{verb} this run"
    raise Forbidden(f"You may not {what}: it takes the permission runs.{verb}_run. Ask who administers this site.")


def told_refused(user: Person, verb: Verb | str, run_id: str) -> None:
    """The line in the log. The id may be whatever somebody has sent: what is none is not repeated there."""
    named = run_id if is_id(run_id) else "?" if run_id else "-"
    log.warning("refused user=%s verb=%s run=%s", user.pk if user.is_authenticated else "-", verb, named)


def _holds(user: Person, verb: Verb | str) -> bool:
    return isinstance(user, PermissionsMixin) and user.has_perm(f"runs.{verb}_run")
