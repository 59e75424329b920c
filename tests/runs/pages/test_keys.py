"""The page of a user's own keys and tokens."""

import hashlib
import html
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from runs.api import tokens
from runs.models import ApiKey, ApiToken

pytestmark = pytest.mark.django_db
PUBLIC = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key().public_bytes_raw().hex()


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def browser(ada: User) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def key_fields(**other: str) -> dict[str, str]:
    return {
        "key-public_key": PUBLIC,
        "key-name": "laptop",
        "key-role": "operator",
        "key-days": "90",
        "register": "1",
    } | other


def test_a_key_is_registered_and_shown_by_its_fingerprint(browser: Client, ada: User) -> None:
    page = browser.post("/keys/", key_fields(), follow=True).content.decode()
    row = ApiKey.objects.get()
    assert (row.user, row.name, row.role, row.public_key) == (ada, "laptop", "operator", bytes.fromhex(PUBLIC))
    assert row.expires_at is not None
    assert row.fingerprint in html.unescape(page)
    entry = LogEntry.objects.get()
    assert (entry.user, entry.change_message) == (ada, f"registered the key {row.fingerprint} of ada as operator")


@pytest.mark.parametrize(
    ("other", "field"),
    [({"key-public_key": "x"}, "public_key"), ({"key-role": "king"}, "role"), ({"key-name": ""}, "name")],
)
def test_what_is_wrong_stands_at_its_field(browser: Client, other: dict[str, str], field: str) -> None:
    answer = browser.post("/keys/", key_fields(**other))
    assert answer.status_code == 422
    assert f'id="id_key-{field}_error"' in answer.content.decode()
    assert "The key was not registered." in answer.content.decode()
    assert not ApiKey.objects.exists()


def test_a_key_is_registered_once_also_after_it_was_revoked(browser: Client) -> None:
    browser.post("/keys/", key_fields())
    key = ApiKey.objects.get()
    browser.post(f"/keys/key/{key.pk}/revoke/")
    answer = browser.post("/keys/", key_fields())
    assert answer.status_code == 422
    assert "make a new pair" in answer.content.decode()
    assert ApiKey.objects.count() == 1


def test_a_token_is_shown_once(browser: Client) -> None:
    answer = browser.post("/keys/", {"token-name": "cron", "token-role": "reader", "token-days": "never", "make": "1"})
    (text,) = re.findall(r"daybook_[0-9a-f]{16}_[A-Za-z0-9_-]{43}", answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    row = ApiToken.objects.get()
    assert tokens.find(text) == row
    assert bytes(row.secret_sha256) == hashlib.sha256(text.split("_", 2)[2].encode()).digest()
    assert row.expires_at is None
    assert text not in browser.get("/keys/").content.decode()


def test_one_is_revoked_after_a_question(browser: Client, ada: User) -> None:
    row, text = tokens.make(ada, "cron", "reader", None, ada)  # type: ignore[arg-type]
    page = browser.get(f"/keys/token/{row.pk}/revoke/")
    assert "cron" in page.content.decode()
    assert ApiToken.objects.get().revoked_at is None
    browser.post(f"/keys/token/{row.pk}/revoke/")
    revoked_at = ApiToken.objects.get().revoked_at
    assert revoked_at is not None
    browser.post(f"/keys/token/{row.pk}/revoke/")
    assert ApiToken.objects.get().revoked_at == revoked_at
    assert LogEntry.objects.count() == 2
    assert tokens.find(text) is not None, "the row stays"


def test_those_of_others_are_neither_shown_nor_revoked(browser: Client) -> None:
    vera = User.objects.create_user("vera")
    row, _ = tokens.make(vera, "hers", "owner", None, vera)  # type: ignore[arg-type]
    assert "hers" not in browser.get("/keys/").content.decode()
    assert browser.get(f"/keys/token/{row.pk}/revoke/").status_code == 404
    assert browser.post(f"/keys/token/{row.pk}/revoke/").status_code == 404
    assert browser.get(f"/keys/other/{row.pk}/revoke/").status_code == 404
    assert ApiToken.objects.get().revoked_at is None
    assert Client().get("/keys/")["Location"] == "/login/?next=/keys/"
