"""What tests of the admin share: people of the staff, with and without rights, and their browsers."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from journal import store
from journal.bodies import Body
from journal.entries import Entry
from runs.models import Run
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return input }"


@pytest.fixture
def operator(db: None) -> Callable[..., Client]:
    """The browser of somebody of the staff who holds these permissions: `operator("view_run")`; `all` for all."""

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
