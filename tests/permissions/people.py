"""The kinds of people there are, by what they hold, and the things that they try their rights at."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task

from journal import bodies, store
from journal.entries import Entry
from runs import library, schedules
from runs.api import keys, tokens
from runs.api.roles import Role
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return ctx.call('echo', input) }"


@dataclass(frozen=True, slots=True)
class Person:
    """`holds`: codenames of permissions. `owns`: the runs that the rights are tried at are this person's own."""

    name: str
    holds: frozenset[str] = frozenset()
    owns: bool = False
    staff: bool = False
    superuser: bool = False
    signed_in: bool = True

    def may(self, verb: str) -> bool:
        """To the run of the scene; `start` is of no run."""
        owning = self.owns and verb not in ("start", "delete")
        return self.superuser or f"{verb}_run" in self.holds or owning

    def has(self, codename: str) -> bool:
        return self.superuser or codename in self.holds

    @property
    def sees(self) -> bool:
        return self.may("view")


def _holder(name: str, *codenames: str, **more: bool) -> Person:
    return Person(name, frozenset(codenames), **more)


_KEYS = [f"{verb}_{of}" for verb in ("view", "add", "change") for of in ("apikey", "apitoken")]
_VERBS = ("view", "start", "signal", "cancel", "retry", "fork")
PEOPLE = {
    person.name: person
    for person in (
        Person("anonymous", signed_in=False),
        Person("guest"),
        Person("owner", owns=True),
        _holder("starting owner", "start_run", owns=True),
        *(_holder(f"holder of {verb}", f"{verb}_run") for verb in _VERBS),
        *(_holder(f"viewer with {verb}", "view_run", f"{verb}_run") for verb in _VERBS[1:]),
        _holder("viewer who mends", "view_run", "start_run", "retry_run"),
        Person("staff", staff=True),
        Person("staff, owner", owns=True, staff=True),
        *(_holder(f"staff, holder of {verb}", f"{verb}_run", staff=True) for verb in _VERBS),
        *(_holder(f"staff, viewer with {verb}", "view_run", f"{verb}_run", staff=True) for verb in _VERBS[1:]),
        _holder("staff, reads scripts", "view_script", staff=True),
        _holder("staff, saves scripts", "view_script", "add_script", "add_scriptversion", staff=True),
        _holder("staff, viewer with delete", "view_run", "delete_run", staff=True),
        _holder("staff, reads keys", "view_apikey", "view_apitoken", staff=True),
        _holder("staff, keeps keys", *_KEYS, staff=True),
        Person("superuser", staff=True, superuser=True),
    )
}


@dataclass(frozen=True, slots=True)
class Scene:
    """`live` and `failed` are runs of the person who owns, or of somebody else; each has made call 1."""

    user: User | None
    client: Client
    live: Run
    failed: Run
    names: dict[str, Any]


def scene(person: Person) -> Scene:
    """The person, signed in, and what there is to try the rights at."""
    user = _user(person) if person.signed_in else None
    owner = user if person.owns else User.objects.create_user("somebody else")
    client = Client()
    if user is not None:
        client.force_login(user)
    live, failed = (_run(title, owner) for title in ("Live", "Failed"))
    error = {"code": "tool-error", "message": "no", "callSeq": 1}
    assert move(Run.objects.filter(pk=failed.pk), Move.FAIL, error=error, error_code="tool-error")
    version = library.save("report", SOURCE)
    schedules.schedule("nightly", "report", minutes=60)
    ours = Schedule.objects.get(name="nightly")
    theirs = Schedule.objects.create(func="math.floor", name="theirs", schedule_type=Schedule.ONCE)
    keeper = owner or User.objects.create_user("a third")
    key = keys.register(keeper, bytes(range(32)).hex(), "laptop", Role.READER, None, None)
    token, _ = tokens.make(keeper, "cron", Role.READER, None, None)
    names = {
        "key": key.pk,
        "token": token.pk,
        "live": live.pk,
        "failed": failed.pk,
        "script": version.script_id,
        "schedule": ours.pk,
        "success": _task(success=True),
        "failure": _task(success=False),
        "queued": OrmQ.objects.latest("pk").pk,
        "theirs": theirs.pk,
        "user": owner.pk if owner else 0,
        "user_name": keeper.get_username(),
        "group": Group.objects.create(name="operators").pk,
    }
    return Scene(user, client, live, failed, names)


def _user(person: Person) -> User:
    user = User.objects.create_user(person.name, is_staff=person.staff, is_superuser=person.superuser)
    held = Permission.objects.filter(codename__in=person.holds)
    assert len(held) == len(person.holds)
    user.user_permissions.set(held)
    return user


def _task(success: bool) -> str:
    now = timezone.now()
    kind = "good" if success else "bad"
    return str(Task.objects.create(id=kind, name=kind, func="f", started=now, stopped=now, success=success).pk)


def _run(title: str, owner: User | None) -> Run:
    run = start(SOURCE, title=title, owner=owner).run
    told = [bodies.call(1, "echo", None, 1, None), bodies.result(1, bodies.call_key("echo", None), True, None)]
    store.append(run.journal_id, 0, [Entry.of(seq, 1000 + seq, body) for seq, body in enumerate(told, 1)])
    return run
