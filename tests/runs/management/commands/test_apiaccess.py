"""`manage.py apiaccess`: keys and tokens without the pages."""

from pathlib import Path

import pytest
from commanding import command
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from runs.api import tokens
from runs.models import ApiKey, ApiToken

pytestmark = pytest.mark.django_db(transaction=True)
PUBLIC = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
LINE = PUBLIC.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


@pytest.fixture(autouse=True)
def ada(transactional_db: None) -> User:
    return User.objects.create_user("ada")


def test_a_key_is_registered_from_a_file(ada: User, tmp_path: Path) -> None:
    file = tmp_path / "id_ed25519.pub"
    file.write_bytes(LINE + b" somewhere\n")
    given = ("--register-key", str(file), "--name", "laptop", "--role", "owner", "--days", "30")
    told = command("apiaccess", "ada", *given, "--json").succeeded().json
    row = ApiKey.objects.get()
    assert bytes(row.public_key) == PUBLIC.public_bytes_raw()
    assert (told["kind"], told["id"], told["user"]) == ("key", row.fingerprint, "ada")
    assert (told["role"], told["state"], told["lastUsedAt"]) == ("owner", "good", None)
    assert row.expires_at is not None
    assert told["expiresAt"] == row.expires_at.isoformat()
    assert LogEntry.objects.get().user.get_username() == "manage.py"
    command("apiaccess", "ada", *given).refused("make a new pair")


def test_a_key_is_registered_from_standard_input() -> None:
    out = command("apiaccess", "ada", "--register-key", "-", "--name", "laptop", stdin=LINE).succeeded().out
    assert out.startswith(f"key {ApiKey.objects.get().fingerprint} ada reader laptop: good, never expires, never used")


def test_a_token_is_printed_once(ada: User) -> None:
    text = command("apiaccess", "ada", "--make-token", "--name", "cron").succeeded().out.strip()
    found = tokens.find(text)
    assert found is not None
    assert found.user == ada
    other = command("apiaccess", "ada", "--make-token", "--name", "cron", "--json").succeeded().json
    assert tokens.find(other["token"]) is not None
    assert text.rpartition("_")[2] not in command("apiaccess").succeeded().out


def test_all_are_listed_or_those_of_a_user() -> None:
    User.objects.create_user("vera")
    command("apiaccess", "ada", "--register-key", "-", "--name", "laptop", stdin=LINE).succeeded()
    command("apiaccess", "vera", "--make-token", "--name", "cron").succeeded()
    assert [row["kind"] for row in command("apiaccess", "--json").succeeded().json["access"]] == ["key", "token"]
    assert [row["user"] for row in command("apiaccess", "vera", "--json").succeeded().json["access"]] == ["vera"]


def test_one_is_revoked_by_what_it_is_listed_as() -> None:
    command("apiaccess", "ada", "--make-token", "--name", "cron").succeeded()
    row = ApiToken.objects.get()
    assert command("apiaccess", "--revoke", row.public_id, "--json").succeeded().json["state"] == "revoked"
    assert "before" in command("apiaccess", "ada", "--revoke", row.public_id).succeeded().out
    User.objects.create_user("vera")
    command("apiaccess", "vera", "--revoke", row.public_id).refused("no key or token")
    command("apiaccess", "--revoke", "SHA256:x").refused("no key or token")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nobody",), "no user"),
        (("\0",), "no user"),
        (("--make-token", "--name", "x"), "name the user"),
        (("ada", "--make-token"), "give it a name"),
        (("ada", "--make-token", "--name", "x", "--days", "0"), "--days"),
        (("ada", "--register-key", "no-such-file", "--name", "x"), "there is no file"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], words: str) -> None:
    command("apiaccess", *arguments).refused(words)
    assert not ApiKey.objects.exists()
    assert not ApiToken.objects.exists()


def test_none_is_said_and_a_new_one_needs_a_name() -> None:
    assert command("apiaccess").succeeded().err == "There are no keys or tokens.\n"
    assert command("apiaccess", "ada").succeeded().err == "ada has no keys or tokens.\n"
    command("apiaccess", "ada", "--make-token").refused("--name")
