"""Every action of the admin, frame of the socket and command, tried by every kind of person."""

import io
import logging
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from permissions.doing import ACTIONS, COMMANDS, FRAMES, NO_FRAMES, actions, commands, frames
from permissions.people import PEOPLE, SOURCE, scene
from permissions.rules import IN
from runs import audit
from runs.ids import new_id
from runs.lifecycle import Move, move
from runs.models import ApiToken, Run
from runs.starting import start
from runs.times import to_ms

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "runs" / "watching"))

from web import Web

HISTORIES = Path(__file__).resolve().parent.parent / "histories"
LIST = "/admin/runs/run/"
STAFF = [name for name, person in PEOPLE.items() if person.staff]
# Of one kind each: a socket does not ask who is staff.
WATCHERS = [name for name, person in PEOPLE.items() if not person.staff or person.superuser]


@pytest.fixture
def web(transactional_db: None) -> Iterator[Web]:
    with Web.serving() as web:
        yield web


@pytest.mark.django_db
def test_every_action_of_the_admin_has_a_row() -> None:
    assert set(actions(User.objects.create_superuser("root"))) == set(ACTIONS)


@pytest.mark.django_db
@pytest.mark.parametrize("who", STAFF)
def test_an_action_touches_what_its_person_may_touch(who: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "runs.access")
    person = PEOPLE[who]
    there = scene(person)
    for (model, action), rule in ACTIONS.items():
        if model != "runs.run":
            assert ((model, action) in set(actions(there.user))) == (rule(person) == IN), (model, action)
            continue
        run = there.failed if action in ("retry", "delete") else there.live
        caplog.clear()
        with transaction.atomic():
            answer = there.client.post(LIST, {"action": action, "index": 0, "_selected_action": [run.pk]})
            if person.sees:
                assert answer["Location"] == f"{LIST}bulk/{action}/?ids={run.pk}"
            # Not from the page, which may offer nothing: what is sent is judged by itself.
            answer = there.client.post(f"{LIST}bulk/{action}/?ids={run.pk}", {"once": "a1", "name": "go"})
            if action == "export":
                assert (run.pk.encode() in b"".join(answer.streaming_content)) == person.sees  # type: ignore[attr-defined]
            assert [deed.verb for deed in audit.deeds(run)] == ([action] if rule(person) == IN else []), action
            transaction.set_rollback(True)
        if person.sees and rule(person) != IN:
            assert f"refused user={there.user.pk} verb={action} run={run.pk}" in caplog.text  # type: ignore[union-attr]


def test_every_frame_of_the_socket_has_a_row() -> None:
    assert frames() == set(FRAMES)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", WATCHERS)
def test_a_frame_is_answered_to_whom_its_row_says(who: str, web: Web, caplog: pytest.LogCaptureFixture) -> None:
    person = PEOPLE[who]
    there = scene(person)
    socket = web.open(there.user)
    if not person.signed_in:
        assert socket.read() == {"close": 4401}
        return
    with caplog.at_level(logging.INFO, "runs"):
        asked = {"Subscribe": "subscribed", "Unsubscribe": "unsubscribed"}
        for name, rule in FRAMES.items():
            caplog.clear()
            socket.send({"_": name, "key": f"runs/{there.live.pk}"})
            frame = socket.until(lambda frame: frame["_"] in ("subscribed", "unsubscribed", "error"))
            let_in = frame["_"] == asked[name]
            assert let_in == (rule(person) == IN), (who, frame)
            assert let_in or f"refused user={there.user.pk}" in caplog.text  # type: ignore[union-attr]
        for name in NO_FRAMES:
            caplog.clear()
            socket.send({"_": name, "key": f"runs/{there.live.pk}", "name": "go"})
            assert socket.until("error")["code"] == "unknown-frame"
            assert f"refused user={there.user.pk}" in caplog.text  # type: ignore[union-attr]
    there.live.refresh_from_db()
    assert (there.live.status, there.live.attempt) == ("queued", 1)
    assert audit.deeds(there.live) == []


def test_every_command_has_a_row() -> None:
    assert commands() == set(COMMANDS)


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name, row in COMMANDS.items() if row])
def test_a_command_acts_as_the_user_of_the_shell(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = COMMANDS[name]
    assert row
    there = scene(PEOPLE["guest"])
    ended_an_hour_ago(monkeypatch)
    file = tmp_path / "script.js"
    file.write_text(SOURCE)
    exported = HISTORIES / "export1-calls.daybook"
    names = there.names | {"file": file, "exported": exported, "public_id": ApiToken.objects.get().public_id}
    arguments = [each.format(**names) for each in row[0]]
    call_command(name, *arguments, stdout=io.StringIO(), stderr=io.StringIO())
    entry = LogEntry.objects.latest("pk")
    assert entry.change_message.partition("\n")[0] == row[1].format(**names)
    assert entry.user.get_username() == audit.SHELL
    assert not entry.user.is_active
    assert not entry.user.has_usable_password()
    assert entry.user.get_all_permissions() == set()


def ended_an_hour_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run for the command that deletes old ones."""
    at = timezone.now() - timedelta(hours=1)
    with monkeypatch.context() as earlier:
        earlier.setattr("runs.making.new_id", lambda: new_id(to_ms(at)))
        run = start(SOURCE).run
    assert move(Run.objects.filter(pk=run.pk), Move.CANCEL)
    Run.objects.filter(pk=run.pk).update(finished_at=at)
