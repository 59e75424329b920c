"""Who may open the socket, what each may see, and how it ends."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from django.db import OperationalError
from helpers import eventually
from trees import append, child, root
from web import Web

from runs.ids import new_id
from runs.models import Message, Run
from runs.watching import consumer, protocol, session
from runs.watching.subscription import Subscription


@pytest.fixture
def ana(transactional_db: None) -> User:
    return User.objects.create_user("ana")


@pytest.fixture
def ben(transactional_db: None) -> User:
    return User.objects.create_user("ben")


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(consumer, "GUARD_SECONDS", 0.05)


def test_who_is_not_signed_in_is_told_by_the_close_code(web: Web, transactional_db: None) -> None:
    assert web.open().read() == {"close": 4401}


@pytest.mark.parametrize(
    "origin", [None, "", "null", "http://evil.example", "http://testserver:81", "http://testserver.evil.example", "["]
)
def test_a_page_of_another_origin_gets_no_socket(web: Web, ana: User, origin: str | None) -> None:
    assert not web.open(ana, origin=origin).accepted


def test_a_trusted_origin_gets_one(web: Web, ana: User, settings: object) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://daybook.example.com", "https://*.example.org"]  # type: ignore[attr-defined]
    assert web.open(ana, origin="https://daybook.example.com").accepted
    assert web.open(ana, origin="https://eu.example.org").accepted
    assert not web.open(ana, origin="http://daybook.example.com").accepted


def test_a_host_that_is_not_ours_gets_none(web: Web, ana: User, settings: object) -> None:
    settings.ALLOWED_HOSTS = ["daybook.example.com"]  # type: ignore[attr-defined]
    assert not web.open(ana).accepted


def test_an_unknown_address_is_refused(web: Web, ana: User) -> None:
    assert not web.open(ana, path="/ws/elsewhere").accepted


def test_who_may_not_see_a_run_is_told_what_one_is_told_who_names_none(
    web: Web, ana: User, ben: User, caplog: pytest.LogCaptureFixture
) -> None:
    """C38, by socket."""
    run = root(ana)
    socket = web.open(ben)
    socket.subscribe(run.pk)
    error = socket.until("error")
    assert (error["code"], error["key"]) == ("unknown-run", f"runs/{run.pk}")
    assert f"refused user={ben.pk} verb=view run={run.pk}" in caplog.text
    nobody = new_id()
    socket.subscribe(nobody)
    other = socket.until("error")
    assert (other["code"], other["message"]) == ("unknown-run", error["message"].replace(run.pk, nobody))


@pytest.mark.parametrize("name", ["Signal", "Retry", "Cancel"])
def test_nothing_is_done_to_a_run_by_socket(
    web: Web, ana: User, ben: User, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """C38, by socket."""
    run = root(ana)
    socket = web.open(ben)
    with caplog.at_level(logging.INFO, "runs.watching"):
        socket.send({"_": name, "key": f"runs/{run.pk}", "name": "approved"})
        assert socket.until("error")["code"] == "unknown-frame"
    assert f"refused user={ben.pk}" in caplog.text
    assert not Message.objects.exists()
    run.refresh_from_db()
    assert (run.status, run.cancel_requested_at, run.attempt) == ("queued", None, 1)


def test_who_may_view_runs_sees_those_of_others(web: Web, ana: User, ben: User) -> None:
    ben.user_permissions.add(Permission.objects.get(codename="view_run"))
    run = root(ana)
    socket = web.open(ben)
    socket.subscribe(run.pk)
    assert socket.until("change")["run"]["id"] == run.pk


def test_a_run_below_a_root_names_its_root(web: Web, ana: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(child(run).pk)
    error = socket.until("error")
    assert (error["code"], error["details"]) == ("not-a-root", {"root": run.pk})


@pytest.mark.parametrize("field", ["afterSeq", "journals"])
def test_a_run_of_another_tree_is_refused(web: Web, ana: User, field: str) -> None:
    run, other = root(ana), root(ana)
    append(other, 3)
    socket = web.open(ana)
    socket.subscribe(run.pk, **{field: {other.pk: 1} if field == "afterSeq" else [other.pk]})
    assert socket.until("error")["code"] == "not-in-tree"
    socket.subscribe(run.pk)
    assert socket.until("change")["run"]["id"] == run.pk


def test_what_a_client_cannot_have_seen_is_refused(web: Web, ana: User) -> None:
    run = root(ana)
    append(run, 3)
    socket = web.open(ana)
    socket.subscribe(run.pk, afterSeq=4)
    error = socket.until("error")
    assert (error["code"], error["details"]) == ("ahead-of-journal", {"runId": run.pk, "lastSeq": 3})


def test_frames_in_vain_end_the_socket_at_last(web: Web, ana: User) -> None:
    socket = web.open(ana)
    socket.send_bytes(b"\x00\xff")
    socket.send_text("{")
    assert [socket.read()["code"] for _ in range(2)] == ["bad-frame", "bad-frame"]
    for _ in range(protocol.REFUSED_MAX):
        socket.send_text("[]")
    assert socket.until(lambda frame: "close" in frame) == {"close": 4400}


def test_a_subscription_twice_and_none_at_all_are_told(web: Web, ana: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    socket.subscribe(run.pk)
    assert socket.until("error")["code"] == "already-subscribed"
    socket.send({"_": "Unsubscribe", "key": f"runs/{new_id()}"})
    assert socket.until("error")["code"] == "not-subscribed"
    append(run)
    socket.until_seq(run.pk, 1)


def test_a_socket_has_so_many_subscriptions(web: Web, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "SUBSCRIPTIONS_MAX", 2)
    socket = web.open(ana)
    for _ in range(3):
        socket.subscribe(root(ana).pk)
    assert socket.until(lambda frame: "close" in frame) == {"close": 4429}


@pytest.mark.usefixtures("_quick")
def test_the_heart_beats(web: Web, ana: User) -> None:
    socket = web.open(ana)
    first, second = socket.until("heartbeat"), socket.until("heartbeat")
    assert first["at"] < second["at"]


@pytest.mark.usefixtures("_quick")
def test_the_end_of_the_session_ends_the_socket(web: Web, ana: User) -> None:
    socket = web.open(ana)
    socket.until("heartbeat")
    Session.objects.all().delete()
    assert socket.until(lambda frame: "close" in frame) == {"close": 4401}


@pytest.mark.usefixtures("_quick")
def test_an_account_that_is_closed_ends_the_socket(web: Web, ana: User) -> None:
    socket = web.open(ana)
    User.objects.filter(pk=ana.pk).update(is_active=False)
    assert socket.until(lambda frame: "close" in frame) == {"close": 4401}


@pytest.mark.usefixtures("_quick")
def test_a_permission_that_is_taken_away_ends_what_it_gave(web: Web, ana: User, ben: User) -> None:
    ana.user_permissions.add(Permission.objects.get(codename="view_run"))
    own, other = root(ana), root(ben)
    socket = web.open(ana)
    for run in (own, other):
        socket.subscribe(run.pk)
        socket.until("change")
    ana.user_permissions.clear()
    error = socket.until("error")
    assert (error["code"], error["key"]) == ("permission-lost", f"runs/{other.pk}")
    append(other)
    append(own)
    socket.until_seq(own.pk, 1)
    Run.objects.filter(pk=own.pk).update(owner=ben)
    assert socket.until(lambda frame: "close" in frame) == {"close": 4403}
    assert socket.seqs(other.pk) == []


@pytest.mark.usefixtures("_quick")
def test_a_slow_reader_keeps_nothing_that_it_may_not_see_any_more(web: Web, ana: User, ben: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    with socket.stalled():
        Run.objects.filter(pk=run.pk).update(owner=ben)
        eventually(lambda: "watching" not in _subscribed(web), what="the subscription has ended")
        append(run)
    assert socket.until(lambda frame: "close" in frame) == {"close": 4403}
    assert socket.seqs(run.pk) == []


@pytest.mark.usefixtures("_quick")
def test_who_unsubscribes_while_permissions_are_checked_is_checked_again(
    web: Web, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = root(ana), root(ana)
    socket = web.open(ana)
    for run in (first, second):
        socket.subscribe(run.pk)
        socket.until("change")
    asked, answer = threading.Event(), threading.Event()

    def slow(_user: User, run_id: str) -> str:
        asked.set()
        answer.wait(10)
        return run_id

    monkeypatch.setattr(consumer, "_visible_root", slow)
    assert asked.wait(10)
    socket.send({"_": "Unsubscribe", "key": f"runs/{first.pk}"})
    for _ in range(20):  # it is taken up between the looks at the first run and at the second
        web.do(asyncio.sleep(0))
    answer.set()
    socket.until("unsubscribed")
    Session.objects.all().delete()
    assert socket.until(lambda frame: "close" in frame) == {"close": 4401}


@pytest.mark.usefixtures("_quick")
def test_who_cannot_be_checked_is_not_served(web: Web, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    socket = web.open(ana)
    socket.until("heartbeat")
    monkeypatch.setattr(session, "get_user", _raising(ConnectionError("the cache that holds the sessions is away")))
    assert socket.until(lambda frame: "close" in frame) == {"close": 1012}


def _subscribed(web: Web) -> set[str]:
    """The threads that read while somebody watches."""
    names = {thread.name for thread in threading.enumerate()}
    return {"watching"} if any(name.startswith("tail") for name in names) else set()


def test_when_nobody_watches_nothing_is_read(web: Web, ana: User) -> None:
    run = root(ana)
    assert not _subscribed(web)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    assert _subscribed(web)
    socket.send({"_": "Unsubscribe", "key": f"runs/{run.pk}"})
    socket.until("unsubscribed")
    eventually(lambda: not _subscribed(web), what="the tail has ended")


def test_what_is_asked_for_and_given_up_at_once_leaves_nothing_behind(web: Web, ana: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    for _ in range(20):
        socket.subscribe(run.pk)
        socket.send({"_": "Unsubscribe", "key": f"runs/{run.pk}"})
    for _ in range(20):
        socket.until("unsubscribed")
    eventually(lambda: not _subscribed(web), what="the tail has ended")


def test_a_subscription_that_cannot_be_served_has_the_client_connect_again(
    web: Web, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = root(ana)
    for place, error in ((consumer, OperationalError("gone")), (Subscription, ValueError("a fault of ours"))):
        with monkeypatch.context() as patched:
            patched.setattr(place, "_visible_root" if place is consumer else "_catch_up", _raising(error))
            socket = web.open(ana)
            socket.subscribe(run.pk)
            assert socket.until(lambda frame: "close" in frame) == {"close": 1012}


def _raising(error: Exception) -> Callable[..., None]:
    def fail(*_arguments: object) -> None:
        raise error

    return fail


def test_a_web_process_that_stops_says_restart(web: Web, ana: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    socket.app.cancel()
    assert socket.until(lambda frame: "close" in frame) == {"close": 1012}
    assert json.dumps(socket.frames)
