"""What tests of pages share: people with and without rights, and a browser without JavaScript; makes `filling`, and
`going` of the tests of operations, importable."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from runs.models import Run
from runs.starting import start

_RUNS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_RUNS / "pages"), str(_RUNS / "operations"), str(_RUNS / "host")]
SOURCE = "export default async function (input, ctx) { return input }"


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """A user of that name who holds the permissions of these verbs: `person("ada", "start")`."""

    def make(name: str, *verbs: str) -> User:
        user = User.objects.create_user(name)
        user.user_permissions.set(Permission.objects.filter(codename__in=[f"{verb}_run" for verb in verbs]))
        return User.objects.get(pk=user.pk)

    return make


@pytest.fixture
def owner(person: Callable[..., User]) -> User:
    return person("ada", "start")


@pytest.fixture
def browser(owner: User) -> Client:
    """Signed in as the owner."""
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def run(owner: User) -> Run:
    """Queued, of the owner."""
    return start(SOURCE, input={"who": "<b>Ada</b>"}, title="Greeting", owner=owner).run
