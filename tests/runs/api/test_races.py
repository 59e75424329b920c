"""The same message, or the same request, many times at once: from threads, and from processes."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connections
from django.test import RequestFactory
from helpers import House
from signing import now_ms, private_key, public_bytes, signed

from runs.api import views
from runs.models import ApiNonce, ApiRequest, Script

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS, AT_ONCE = 5, 6


def at_once(posts: Sequence[bytes]) -> list[tuple[int, Any]]:
    """Status and answer of each, all sent at the same moment."""
    start = Barrier(len(posts))

    def post(data: bytes) -> tuple[int, Any]:
        request = RequestFactory().generic("POST", "/api/message", data, content_type="application/cbor")
        start.wait()
        try:
            response = views.message(request)
            return response.status_code, cbor2.loads(response.content)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(posts)) as pool:
        return list(pool.map(post, posts))


def test_a_message_that_comes_many_times_at_once_is_taken_once(ada_key: Ed25519PrivateKey) -> None:
    for number in range(ROUNDS):
        data = signed(ada_key, "ada", {"_": "Note", "name": f"n{number}"})
        assert sorted(status for status, _ in at_once([data] * AT_ONCE)) == [201] + [409] * (AT_ONCE - 1)
    assert ApiNonce.objects.count() == Script.objects.count() == ROUNDS


def test_a_request_that_is_made_many_times_at_once_is_done_once(ada_key: Ed25519PrivateKey) -> None:
    for number in range(ROUNDS):
        action = {"_": "Note", "name": f"n{number}", "clientRequestId": f"id {number}"}
        answers = at_once([signed(ada_key, "ada", action) for _ in range(AT_ONCE)])
        assert answers == [(201, {"_": "Note", "name": f"n{number}", "created": True, "by": "ada"})] * AT_ONCE
    assert ApiRequest.objects.count() == Script.objects.count() == ROUNDS


def test_of_two_requests_with_one_id_the_second_is_refused(ada_key: Ed25519PrivateKey) -> None:
    for number in range(ROUNDS):
        shared = {"_": "Note", "clientRequestId": f"id {number}"}
        posts = [signed(ada_key, "ada", shared | {"name": f"n{number}-{each}"}) for each in range(AT_ONCE)]
        statuses = sorted(status for status, _ in at_once(posts))
        assert statuses == [201] + [409] * (AT_ONCE - 1)
    assert ApiRequest.objects.count() == Script.objects.count() == ROUNDS


POST = """
from django.test import Client
client = Client(SERVER_NAME='localhost')
posted = client.generic('POST', '/api/message', bytes.fromhex({data!r}), content_type='application/cbor')
answer(posted.status_code)
"""


def ask_in_processes(house: House) -> None:
    """One message, sent by three processes at once and by one more after them, is taken once."""
    key = private_key("of a house")
    house.shell(f"""
from django.contrib.auth.models import User
from runs.api import keys
ada = User.objects.create_user('ada')
keys.register(ada, {public_bytes(key).hex()!r}, 'laptop', 'reader', None, ada)
""")
    # Ahead of the clock, so that slow processes find it good all the same.
    code = POST.format(data=signed(key, "ada", {"_": "ListRuns", "ts": now_ms() + 25_000}).hex())
    with ThreadPoolExecutor(3) as pool:
        statuses = list(pool.map(lambda _: house.shell(code), range(3)))
    assert sorted(statuses) == [200, 409, 409], json.dumps(statuses)
    assert house.shell(code) == 409


def test_processes_take_a_message_once(house: House) -> None:
    ask_in_processes(house)


@pytest.mark.postgres
def test_processes_take_a_message_once_on_postgresql(make_house: Callable[..., House], postgres_url: str) -> None:
    house = make_house(DATABASE_URL=postgres_url)
    house.manage("migrate", "--verbosity", "0")
    ask_in_processes(house)
