"""Keys and tokens of all users in the admin."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from runs.api import keys, public_keys, tokens
from runs.api.roles import Role
from runs.models import ApiKey, ApiToken

PUBLIC = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key().public_bytes_raw().hex()
GIVEN = {"name": "cron", "role": "reader", "expires_at": ""}


@pytest.fixture
def keeper(staff: Callable[..., User]) -> Client:
    """Of the staff, with all permissions on keys and tokens."""
    user = staff("kim")
    models = ("apikey", "apitoken")
    user.user_permissions.add(*Permission.objects.filter(content_type__model__in=models))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


def test_a_key_of_another_user_is_registered(keeper: Client, ada: User) -> None:
    assert keeper.get("/admin/runs/apikey/add/").status_code == 200
    answer = keeper.post("/admin/runs/apikey/add/", GIVEN | {"user": "ada", "text": PUBLIC}, follow=True)
    row = ApiKey.objects.get()
    assert (row.user, bytes(row.public_key).hex(), row.role) == (ada, PUBLIC, "reader")
    assert row.fingerprint in answer.content.decode().replace("&#x27;", "'").replace("&amp;", "&").replace("&#43;", "+")
    (entry,) = LogEntry.objects.all()
    assert (entry.user.get_username(), entry.object_id) == ("kim", str(row.pk))


@pytest.mark.parametrize("more", [{"is_superuser": True}, {}])
def test_nobody_gets_more_rights_by_the_key_or_token_of_another(
    keeper: Client, ada: User, more: dict[str, bool]
) -> None:
    User.objects.filter(pk=ada.pk).update(**more or {"is_staff": True})
    ada.user_permissions.add(Permission.objects.get(codename="start_run"))
    for address, pasted in (("apikey", {"text": PUBLIC}), ("apitoken", {})):
        answer = keeper.post(f"/admin/runs/{address}/add/", GIVEN | {"user": "ada"} | pasted)
        assert "may do more than you" in answer.content.decode()
    assert not ApiKey.objects.exists()
    assert not ApiToken.objects.exists()


PAST = {"expires_at": "2020-01-01T01:00"}


@pytest.mark.parametrize(
    "wrong", [{"text": "x"}, {"name": ""}, {"role": "king"}, {"user": "gone"}, {"user": "nobody"}, PAST]
)
def test_what_is_wrong_is_told(keeper: Client, ada: User, wrong: dict[str, str]) -> None:
    User.objects.create_user("gone", is_active=False)
    answer = keeper.post("/admin/runs/apikey/add/", GIVEN | {"user": "ada", "text": PUBLIC} | wrong)
    assert "errornote" in answer.content.decode()
    assert not ApiKey.objects.exists()


def test_a_key_that_is_known_is_told_as_that(keeper: Client, ada: User) -> None:
    keys.register(ada, PUBLIC, "laptop", Role.READER, None, ada)
    answer = keeper.post("/admin/runs/apikey/add/", GIVEN | {"user": "ada", "text": PUBLIC})
    assert "This key is registered" in answer.content.decode()


def test_a_key_that_another_registers_at_the_same_moment_is_told_as_that(
    keeper: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = public_keys.read

    def meanwhile(text: str) -> bytes:
        """Read by the form first, and then where the row is written."""
        if not ApiKey.objects.exists() and calls.pop() == "write":
            keys.register(ada, PUBLIC, "laptop", Role.READER, None, ada)
        return read(text)

    calls = ["-", "write", "form"]
    monkeypatch.setattr(public_keys, "read", meanwhile)
    answer = keeper.post("/admin/runs/apikey/add/", GIVEN | {"user": "ada", "text": PUBLIC}, follow=True)
    assert answer.redirect_chain == [("/admin/runs/apikey/add/", 302)]
    assert "This key is registered" in answer.content.decode()
    assert not calls
    assert not LogEntry.objects.filter(user__username="kim").exists()


def test_a_token_is_shown_once(keeper: Client, ada: User) -> None:
    answer = keeper.post("/admin/runs/apitoken/add/", GIVEN | {"user": "ada"})
    (text,) = re.findall(r"daybook_[0-9a-f]{16}_[A-Za-z0-9_-]{43}", answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    row = tokens.find(text)
    assert row is not None
    assert row.user == ada
    for page in ("", f"{row.pk}/change/", f"{row.pk}/history/"):
        html = keeper.get(f"/admin/runs/apitoken/{page}").content.decode()
        assert row.public_id in html
        assert text.rpartition("_")[2] not in html


def test_it_expires_at_the_time_that_was_given(keeper: Client, ada: User) -> None:
    keeper.post("/admin/runs/apitoken/add/", GIVEN | {"user": "ada", "expires_at": "2999-12-31T23:59"})
    row = ApiToken.objects.get()
    assert (row.user, row.expires_at) == (ada, datetime(2999, 12, 31, 23, 59, tzinfo=UTC))


def test_the_chosen_are_revoked_and_nothing_is_changed_or_deleted(keeper: Client, ada: User) -> None:
    made = [tokens.make(ada, name, Role.READER, timezone.now() + timedelta(days=1), ada)[0] for name in ("a", "b")]
    chosen = {"action": "revoke_chosen", "_selected_action": [made[0].pk]}
    page = keeper.post("/admin/runs/apitoken/", chosen, follow=True).content.decode()
    assert "Revoked 1 of 1" in page
    assert [row.revoked_at is None for row in ApiToken.objects.order_by("pk")] == [False, True]
    url = f"/admin/runs/apitoken/{made[1].pk}/"
    assert keeper.get(f"{url}change/").status_code == 200
    assert keeper.post(f"{url}change/", GIVEN).status_code == 403
    assert keeper.post(f"{url}delete/", {"post": "yes"}).status_code == 403
    assert ApiToken.objects.count() == 2


def test_who_may_only_look_revokes_nothing(keeper: Client, staff: Callable[..., User], ada: User) -> None:
    row, _ = tokens.make(ada, "a", Role.READER, None, ada)
    viewer = staff("vic")
    viewer.user_permissions.add(Permission.objects.get(codename="view_apitoken"))
    client = Client()
    client.force_login(viewer)
    assert "daybook" in client.get("/admin/runs/apitoken/").content.decode().lower()
    client.post("/admin/runs/apitoken/", {"action": "revoke_chosen", "_selected_action": [row.pk]})
    assert ApiToken.objects.get().revoked_at is None
    assert client.get("/admin/runs/apitoken/add/").status_code == 403
    assert client.get("/admin/runs/apikey/").status_code == 403
