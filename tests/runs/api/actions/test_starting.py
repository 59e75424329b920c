"""StartRun: a script that comes along or one of the library, once for each key, and nothing where it is refused."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from asking import ECHO, done, refused, told
from django.db import connection
from going import go_on

from runs import audit, library
from runs.api.caller import Caller
from runs.api.dispatch import answer
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_a_script_that_comes_along_is_started(owner: Caller) -> None:
    status, said = told(owner, "StartRun", source=ECHO, input={"n": [1, None]}, title="One", key="one", priority=3)
    run = Run.objects.get()
    assert (status, said["created"], said["run"]["id"]) == (201, True, run.pk)
    assert said["run"]["input"] == {"n": [1, None]}
    assert (run.title, run.idempotency_key, run.priority, run.origin) == ("One", "one", 3, "api")
    assert run.owner == owner.user
    assert go_on(run).output == {"n": [1, None]}


def test_every_field_reaches_the_run(owner: Caller) -> None:
    fields = {"queue": "background", "maxAttempts": 3, "concurrencyKey": "bank", "concurrencyLimit": 2}
    said = done(owner, "StartRun", source=ECHO, budget={"cpuMs": 500, "wallSeconds": 60.5}, **fields)
    run = Run.objects.get()
    assert run.budget == {"cpuMs": 500, "wallSeconds": 60.5}
    assert {name: said["run"][name] for name in fields} == fields
    assert (run.deadline_at - run.created_at).total_seconds() == pytest.approx(60.5, abs=1)


def test_a_script_of_the_library_is_started_and_remembered(owner: Caller) -> None:
    library.save("report", ECHO)
    library.save("report", ECHO.replace("input }", "1 }"))
    said = done(owner, "StartRun", script="report@1")
    assert (said["run"]["script"], said["run"]["title"]) == ("report@1", "report")
    assert done(owner, "StartRun", script="report")["run"]["script"] == str(library.find("report"))


def test_the_same_key_again_starts_nothing(owner: Caller) -> None:
    first = done(owner, "StartRun", source=ECHO, key="k")
    status, again = told(owner, "StartRun", source=ECHO, input=2, key="k")
    assert (status, again["created"], again["run"]["id"]) == (200, False, first["run"]["id"])
    assert Run.objects.count() == 1
    assert len(audit.deeds(Run.objects.get())) == 1


def test_a_key_of_somebody_else_tells_nothing_of_the_run(owner: Caller, caller: Callable[..., Caller]) -> None:
    secret = start(ECHO, owner=caller("bob").user, key="k", title="Secret", input="hush").run
    error = refused(owner, "StartRun", 409, source=ECHO, key="k")
    assert error.code == "not-possible"
    assert "another key" in error.message
    assert not {secret.pk, "Secret", "hush"} & {*error.message.split(), str(error.details)}
    assert done(caller("vic", "start", "view"), "StartRun", source=ECHO, key="k")["run"]["title"] == "Secret"


def test_what_was_done_is_noted_down_with_the_key_or_token(owner: Caller) -> None:
    done(owner, "StartRun", source=ECHO)
    (deed,) = audit.deeds(Run.objects.get())
    assert (deed.who, deed.verb, deed.facts) == ("ada", "start", {"via": owner.via})


def test_the_note_is_in_the_transaction_of_the_start(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        assert connection.in_atomic_block
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("runs.api.actions.starting.record", fail)
    with pytest.raises(RuntimeError):
        answer(owner, "StartRun", {"source": ECHO})
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status", "code", "words"),
    [
        ({}, 422, "invalid-input", "script or source is needed"),
        ({"source": ECHO, "script": "report"}, 422, "invalid-input", "not both of them"),
        ({"script": "report"}, 404, "unknown-script", "savescript"),
        ({"script": "Re port"}, 422, "invalid-input", "script"),
        ({"source": "export default 1 +"}, 422, "lint", "line 1"),
        ({"source": "export default () => new Date()"}, 422, "lint", "ctx.now()"),
        ({"source": "//" + "x" * 300_000}, 422, "source-too-large", "the limit is"),
        ({"source": ECHO, "input": "x" * 300_000}, 422, "invalid-input", "the input has"),
        ({"source": ECHO, "input": 2**60}, 422, "invalid-input", "2^53"),
        ({"source": ECHO, "title": "x" * 201}, 422, "invalid-input", "title"),
        ({"source": ECHO, "title": "a\0b"}, 422, "invalid-input", "title"),
        ({"source": ECHO, "title": "\ud800"}, 422, "invalid-input", "title"),
        ({"source": ECHO, "queue": "fast"}, 422, "invalid-input", "interactive"),
        ({"source": ECHO, "priority": 40_000}, 422, "invalid-input", "priority"),
        ({"source": ECHO, "priority": True}, 422, "invalid-input", "priority"),
        ({"source": ECHO, "maxAttempts": 0}, 422, "invalid-input", "maxAttempts"),
        ({"source": ECHO, "max_attempts": 2}, 422, "invalid-input", "maxAttempts"),
        ({"source": ECHO, "budget": {"cpuMs": -1}}, 422, "invalid-input", "budget.cpuMs"),
        ({"source": ECHO, "budget": {"gpu": 1}}, 422, "invalid-input", "gpu"),
        ({"source": ECHO, "concurrencyLimit": 2}, 422, "invalid-input", "concurrency key"),
        ({"source": ECHO, "concurrencyKey": " "}, 422, "invalid-input", "concurrencyKey"),
        ({"source": "export default () => 1 //\0"}, 422, "invalid-input", "source has a NUL"),
        ({"source": "export default () => '\ud800'"}, 422, "invalid-input", "lone surrogate"),
        ({"source": 1}, 422, "invalid-input", "source"),
        ({"source": ECHO, "owner": "vera"}, 422, "invalid-input", "owner"),
    ],
)
def test_what_cannot_be_started_is_refused_in_words(
    owner: Caller, fields: dict[str, Any], status: int, code: str, words: str
) -> None:
    error = refused(owner, "StartRun", status, **fields)
    assert error.code == code
    assert words in error.message
    assert not Run.objects.exists()


def test_a_refused_script_comes_with_its_findings(owner: Caller) -> None:
    details = refused(owner, "StartRun", 422, source="export default () =>\n  new Date()").details
    assert [(found["severity"], found["line"]) for found in details["findings"]] == [("error", 2)]


def test_starting_takes_the_permission(caller: Callable[..., Caller], caplog: pytest.LogCaptureFixture) -> None:
    bob = caller("bob", "view", "signal", "cancel", "retry", "fork")
    with caplog.at_level(logging.WARNING, "runs.access"):
        error = refused(bob, "StartRun", 403, source=ECHO)
    assert (error.code, "runs.start_run" in error.message) == ("forbidden", True)
    assert caplog.messages == [f"refused user={bob.user.pk} verb=start run=-"]
    assert not Run.objects.exists()
