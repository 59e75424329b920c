"""What tests of the admin share: people of the staff, with and without rights, and their browsers."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client


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
