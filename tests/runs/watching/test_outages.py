"""What becomes of a subscription while the database does not answer, or does not tell."""

import logging

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from helpers import eventually
from trees import append, child, root
from web import Web

from runs.watching import feed, hub, shelf, subscription, tail, tree
from runs.watching.tree import Tree


@pytest.fixture
def ana(transactional_db: None) -> User:
    return User.objects.create_user("ana")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_AGAIN_SECONDS", 0.02)
    monkeypatch.setattr(subscription, "_AGAIN_SECONDS", 0.02)


class Broken:
    """Stands where a reading does: it fails while it is broken, after it has read."""

    def __init__(self, error: Exception) -> None:
        self.error: Exception | None = error
        self.tries = 0

    def __call__(self, read: object) -> object:
        def reading(*arguments: object) -> object:
            found = read(*arguments)  # type: ignore[operator]
            self.tries += 1
            if self.error is not None:
                raise self.error
            return found

        return reading


@pytest.mark.parametrize(
    ("error", "code"), [(OperationalError("gone"), "database"), (ValueError("a fault of ours"), "internal-error")]
)
def test_who_watches_is_told_once_and_then_misses_nothing(
    web: Web, ana: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, code: str
) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    append(run, 2)
    socket.until_seq(run.pk, 2)
    broken = Broken(error)
    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING, "runs.watching"):
        patched.setattr(Tree, "read", broken(Tree.read))
        append(run, 3)
        below = child(run)
        append(below, 2)
        assert socket.until("error")["code"] == code
        append(run, 1)
        broken.error = None
        socket.until_seq(below.pk, 2)
        socket.until_seq(run.pk, 6)
    append(run, 1)
    socket.until_seq(run.pk, 7)
    assert (socket.seqs(run.pk), socket.seqs(below.pk)) == (list(range(1, 8)), [1, 2])
    assert [frame["_"] for frame in socket.frames].count("error") == 1
    assert caplog.text.count("cannot be read; trying again") == 1


def test_what_cannot_be_read_back_is_read_again(web: Web, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run = root(ana)
    append(run, 120)
    broken = Broken(OperationalError("gone"))
    monkeypatch.setattr(shelf, "read_entries", broken(tree.read_entries))
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    eventually(lambda: broken.tries >= 2)
    broken.error = None
    socket.until_seq(run.pk, 120)
    assert socket.seqs(run.pk) == list(range(1, 121))


def test_a_database_that_does_not_tell_is_looked_at(web: Web, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "source", lambda _wake: tail.Looking())
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    append(run)
    socket.until_seq(run.pk, 1)
