"""Thousands of messages that somebody has tampered with: none is taken, and none breaks anything.

Each is made from valid ones, from a fixed seed: bits turned, parts cut, doubled or put elsewhere, two messages spliced,
the same values written in another CBOR, values taken out of one message and put into another, signed by other keys.
"""

import random
from collections.abc import Callable
from typing import Any
from unittest import mock

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from django.test import RequestFactory
from rows import everything, registered
from signing import cbor, envelope, private_key, signed

from runs.api import limits, views
from runs.api.roles import Role
from runs.models import ApiNonce, Script

pytestmark = pytest.mark.django_db(transaction=True)
STRANGER = private_key("a stranger's")
VALUES: list[Any] = [
    None, True, 0, -1, 2**64 - 1, 1.5, float("nan"), "", "RunsAction", b"", bytes(32), bytes(64), [], {}, [[]],
    {"_": "Note"}, cbor2.undefined, cbor2.CBORTag(24, b"\0"), cbor2.CBORSimpleValue(99),
]  # fmt: skip


class Mutator:
    """Makes wrong messages out of right ones."""

    def __init__(self, seed: int, keys: list[tuple[Ed25519PrivateKey, str]]) -> None:
        self._random, self._keys, self._made = random.Random(seed), keys, set[bytes]()

    def valid(self) -> bytes:
        key, account = self._random.choice(self._keys)
        made = signed(key, account, self._action())
        self._made.add(made)
        return made

    def wrong(self) -> bytes:
        """Never one that is the same as a valid one; a splice of two may be the second."""
        while True:
            valid = self.valid()
            made = self._random.choice(
                [self._bits, self._cut, self._doubled, self._spliced, self._rewritten, self._swapped, self._resigned]
            )(valid)
            if made not in self._made:
                return made

    def _action(self) -> dict[str, Any]:
        some = self._random.choice
        action = {"_": some(["Note", "Look"]), "name": some(["one", "two"])}
        if some([True, False]):
            action |= {"value": some([1, [1, {"a": None}], "text" * 40, {"b": True, "a": {}}])}
        return action | some([{}, {"clientRequestId": "monday"}])

    def _bits(self, data: bytes) -> bytes:
        turned = bytearray(data)
        for _ in range(self._random.choice([1, 1, 1, 2, 8])):
            turned[self._random.randrange(len(turned))] ^= 1 << self._random.randrange(8)
        return bytes(turned)

    def _cut(self, data: bytes) -> bytes:
        first, last = self._span(data)
        return data[:first] + data[last:]

    def _doubled(self, data: bytes) -> bytes:
        first, last = self._span(data)
        at = self._random.randrange(len(data))
        return data[:at] + data[first:last] + data[at:]

    def _spliced(self, data: bytes) -> bytes:
        other = self.valid()
        return data[: self._random.randrange(len(data))] + other[self._random.randrange(len(other)) :]

    def _rewritten(self, data: bytes) -> bytes:
        """The same values, signature and all, in other bytes."""
        message = cbor2.loads(data)
        turned = dict(self._random.sample(list(message.items()), len(message)))
        return self._random.choice(
            [
                lambda: cbor2.dumps(turned),
                lambda: cbor2.dumps(message, indefinite_containers=True),
                lambda: cbor2.dumps(cbor2.CBORTag(55799, message)),
                lambda: data.replace(b"\x64type", b"\x78\x04type"),
                lambda: data.replace(b"\x58\x20", b"\x59\x00\x20"),
                lambda: data + data,
                lambda: b"\xa6" + data[1:] + data[-5:],
                lambda: b"\xb8\x05" + data[1:],
            ]
        )()

    def _swapped(self, data: bytes) -> bytes:
        """With a value from elsewhere, under the signature of before."""
        message, other = cbor2.loads(data), cbor2.loads(self.valid())
        place = self._random.choice([message, message["action"]])
        name = self._random.choice([*place, "more"])
        taken = {**other, **other["action"]}.get(name)
        place[name] = self._random.choice([taken, *VALUES])
        if self._random.random() < 0.2:
            del place[name]
        return cbor2.dumps(message, canonical=True)

    def _resigned(self, data: bytes) -> bytes:
        """Signed over all of it, by a key that is not of the account, or that says it is another."""
        message = cbor2.loads(data)
        message.pop("sig")
        (key, _), account = self._random.choice(self._keys), self._random.choice(["ada", "vera", "nobody"])
        other = self._random.choice([{}, {"account": account}, {"signer": bytes(32)}])
        signer = self._random.choice([STRANGER, STRANGER, key])
        if signer is not STRANGER:
            other = {"signer": STRANGER.public_key().public_bytes_raw()}
        elif not other:
            other = envelope(STRANGER, account, message["action"])
        message |= other
        return cbor({**message, "sig": signer.sign(cbor(message))})

    def _span(self, data: bytes) -> tuple[int, int]:
        first = self._random.randrange(len(data))
        return first, min(len(data), first + self._random.choice([1, 2, 8, 40]))


@pytest.fixture
def mutator(ada: User, person: Callable[..., User]) -> Callable[[int], Mutator]:
    keys = [(registered(ada, "ada's", Role.OWNER), "ada"), (registered(person("vera"), "vera's", Role.OWNER), "vera")]
    return lambda seed: Mutator(seed, keys)


def storm(mutator: Mutator, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """That many wrong messages through the view; the database is as it was, and a right one is taken after all."""
    monkeypatch.setattr(limits, "REFUSALS", count)
    factory = RequestFactory()

    def ask(data: bytes) -> Any:
        return views.message(factory.generic("POST", "/api/message", data, content_type="application/cbor"))

    before, told = everything(), dict[int, int]()
    for _ in range(count):
        data = mutator.wrong()
        status = ask(data).status_code
        assert status in (400, 401), f"{status} for {data.hex()}"
        told[status] = told.get(status, 0) + 1
    assert everything() == before
    assert told[400] > count // 4
    assert told[401] > count // 8, "enough of them come as far as the signature"
    for _ in range(20):
        assert ask(mutator.valid()).status_code < 500
    assert Script.objects.exists()
    assert ApiNonce.objects.count() == 20


def test_messages_that_were_tampered_with_are_refused(
    mutator: Callable[[int], Mutator], monkeypatch: pytest.MonkeyPatch
) -> None:
    storm(mutator(1), 20_000, monkeypatch)


def test_the_storm_can_find_something(mutator: Callable[[int], Mutator], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the check of the signature taken out, the same messages are soon taken."""
    monkeypatch.setattr("runs.api.envelope.Ed25519PublicKey", mock.MagicMock())
    with pytest.raises(AssertionError):
        storm(mutator(1), 2_000, monkeypatch)
