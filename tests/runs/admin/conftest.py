"""Staff with and without rights, in the admin; makes `filling`, and `going` of the tests of operations, importable."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from journal import store
from journal.bodies import Body
from journal.entries import Entry
from runs.models import Run
from runs.starting import start
from runs.tools import registered

_RUNS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_RUNS / "pages"), str(_RUNS / "operations"), str(_RUNS / "host")]
SOURCE = "export default async function (input, ctx) { return input }"


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    from going import define_tools

    with registered():
        define_tools()
        yield


@pytest.fixture
def staff(db: None) -> Callable[..., User]:
    """A member of the staff who holds the permissions of these verbs: `staff("ada", "view")`."""

    def make(name: str, *verbs: str) -> User:
        user = User.objects.create_user(name, is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=[f"{verb}_run" for verb in verbs]))
        return User.objects.get(pk=user.pk)

    return make


@pytest.fixture
def owner(staff: Callable[..., User]) -> User:
    """Of the staff, with no right but to start."""
    return staff("ada", "start")


@pytest.fixture
def operator(staff: Callable[..., User]) -> User:
    return staff("vera", "view", "start", "signal", "cancel", "retry", "fork")


@pytest.fixture
def admin(operator: User) -> Client:
    """Signed in as the operator."""
    client = Client()
    client.force_login(operator)
    return client


@pytest.fixture
def run(owner: User) -> Run:
    """Queued, of the owner."""
    return start(SOURCE, input={"who": "<b>Ada</b>"}, title="Greeting", owner=owner).run


@pytest.fixture
def browser_of(db: None) -> Callable[..., Client]:
    """The browser of somebody of the staff who holds these permissions: `browser_of("view_script")`; `all` for all."""

    def make(*codenames: str, name: str = "olga") -> Client:
        user = User.objects.create_user(name, is_staff=True, is_superuser="all" in codenames)
        user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def lived(db: None) -> Callable[..., Run]:
    """A run that has these bodies in its journal."""

    def make(title: str, *told: Body, owner: User | None = None) -> Run:
        run = start(SOURCE, title=title, owner=owner).run
        store.append(run.journal_id, 0, [Entry.of(seq, 1000 + seq, body) for seq, body in enumerate(told, 1)])
        return run

    return make
