"""What one request costs the database: statements, and commits, each of which waits for the disk."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from signing import client, post, signed

from runs.api import tokens
from runs.api.roles import Role
from runs.models import ApiKey, ApiToken

pytestmark = pytest.mark.django_db(transaction=True)
BOUNDS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")


def cost(ask: Any) -> tuple[int, int]:
    """Statements and commits of one request, the second of its kind: what each process does once is done."""
    ApiKey.objects.update(last_used_at=timezone.now())
    ApiToken.objects.update(last_used_at=timezone.now())
    assert ask(1).status_code < 300
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert ask(2).status_code < 300
    told = [query["sql"] for query in queries]
    within, commits = False, 0
    for sql in told:
        within = sql.startswith("BEGIN") or (within and sql != "COMMIT")
        alone = sql.startswith(("INSERT", "UPDATE", "DELETE")) and not within
        commits += sql == "COMMIT" or alone
    statements = [sql for sql in told if not sql.startswith(BOUNDS)]
    return len(statements), commits


def test_a_signed_read_is_one_look_at_the_key_and_one_nonce(ada_key: Ed25519PrivateKey) -> None:
    """And the statement of the action itself."""
    assert cost(lambda _: post(signed(ada_key, "ada", {"_": "Look", "name": ""}))) == (3, 1)


def test_a_signed_change_is_one_commit_more(ada_key: Ed25519PrivateKey) -> None:
    """Two statements of the action itself, and one commit of it: the kept answer shares it."""

    def ask(number: int) -> Any:
        return post(signed(ada_key, "ada", {"_": "Note", "name": f"n{number}", "clientRequestId": f"id {number}"}))

    assert cost(ask) == (6, 2)


def test_a_read_with_a_token_writes_nothing(ada: User) -> None:
    _, token = tokens.make(ada, "laptop", Role.READER, None, ada)

    def ask(_: int) -> Any:
        headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
        return client().generic(
            "POST", "/api/Look", json.dumps({"name": ""}), content_type="application/json", **headers
        )

    assert cost(ask) == (2, 0)
