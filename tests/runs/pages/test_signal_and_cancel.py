"""Signals and cancelling from forms: what is said, and that a double click does one thing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from filling import fields_of, text_of

from runs import cancelling
from runs.lifecycle import Move, move
from runs.models import Message, Run
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return input }"


def parked(run: Run, **match: str) -> Run:
    """Waits for one signal, as wait w2."""
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    wait = {"kind": "wait", "callSeq": 2, "waitId": "w2", "match": match, "label": "Sign-off", "wakeAt": None}
    assert move(mine, Move.PARK, wait=[wait])
    return run


def child_of(run: Run, title: str) -> Run:
    child = start(SOURCE, title=title, owner=run.owner).run
    Run.objects.filter(pk=child.pk).update(parent=run, root=run.root_id, depth=run.depth + 1, parent_call_seq=1)
    return Run.objects.get(pk=child.pk)


def said(browser: Client, answer: Any) -> str:
    """The message on the page that the answer leads to."""
    assert answer.status_code == 302, answer.content.decode()
    page = browser.get(answer["Location"])
    return text_of(page.content.decode()).partition(">")[2].strip()


def test_an_answer_is_delivered_once_however_often_it_is_sent(browser: Client, owner: User, run: Run) -> None:
    parked(run, signal="approved")
    answer = {"wait_id": "w2", "name": "approved", "payload": '{"by": "Ada"}'}
    first, second = (browser.post(f"/runs/{run.pk}/signal/", answer) for _ in range(2))
    message = Message.objects.get()
    assert (message.name, message.payload, message.wait_id, message.sender) == ("approved", {"by": "Ada"}, "w2", owner)
    assert Run.objects.get(pk=run.pk).status == "queued"
    assert first["Location"] == second["Location"] == f"/runs/{run.pk}/"
    told = said(browser, second)
    assert "Sent: it answers the wait Sign-off." in told
    assert "This was sent before" in told


def test_a_wait_that_is_over_is_told(browser: Client, run: Run) -> None:
    answer = browser.post(f"/runs/{run.pk}/signal/", {"wait_id": "w9", "name": "approved"})
    assert "Not sent: the run is no longer waiting for that (w9)." in said(browser, answer)
    assert not Message.objects.exists()


def test_a_signal_without_a_wait_is_kept_and_its_form_sends_it_once(browser: Client, run: Run) -> None:
    fields = fields_of(browser.get(f"/runs/{run.pk}/signal/").content.decode())
    fields |= {"name": "go", "payload": ""}
    answer = browser.post(f"/runs/{run.pk}/signal/", fields)
    browser.post(f"/runs/{run.pk}/signal/", fields)
    assert Message.objects.count() == 1
    assert "Sent, and kept" in said(browser, answer)
    browser.post(f"/runs/{run.pk}/signal/", fields | {"payload": "1"})
    assert Message.objects.count() == 2, "another payload is another signal"


def test_a_payload_that_is_no_json_keeps_what_was_written(browser: Client, run: Run) -> None:
    parked(run)
    answer = browser.post(f"/runs/{run.pk}/signal/", {"wait_id": "w2", "name": "yes", "payload": '{"a": <b>}'})
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "Not JSON at line 1, column 7" in text_of(html)
    fields = fields_of(html)
    assert (fields["wait_id"], fields["name"], fields["payload"]) == ("w2", "yes", '{"a": <b>}')
    assert "Answer Sign-off" in text_of(html)
    assert not Message.objects.exists()


def test_a_signal_without_a_name_is_told(browser: Client, run: Run) -> None:
    answer = browser.post(f"/runs/{run.pk}/signal/", {"name": " "})
    assert answer.status_code == 422
    assert "Give the signal a name" in answer.content.decode()


def test_the_page_lists_the_open_waits(browser: Client, run: Run) -> None:
    parked(run, signal="approved")
    html = browser.get(f"/runs/{run.pk}/signal/").content.decode()
    assert 'href="?name=approved"' in html
    assert "Sign-off" in text_of(html)


def test_cancelling_says_first_what_else_stops(browser: Client, owner: User, run: Run) -> None:
    child_of(child_of(run, "Child </b>"), "Grandchild")
    html = browser.get(f"/runs/{run.pk}/cancel/").content.decode()
    told = text_of(html)
    assert "Cancel this run and all below it?" in told
    assert "Cancel 3 runs" in told
    assert "Child </b>" in told
    assert "</b>" not in html
    assert Run.objects.filter(status="queued").count() == 3
    answer = browser.post(f"/runs/{run.pk}/cancel/", {"reason": "a mistake"})
    assert "3 runs canceled." in said(browser, answer)
    assert [each.error["message"].partition(".")[0] for each in Run.objects.all()] == ["canceled: a mistake"] * 3


def test_a_run_that_has_ended_is_not_canceled(browser: Client, run: Run) -> None:
    error = {"code": "tool-error", "message": "no"}
    move(Run.objects.filter(pk=run.pk), Move.FAIL, error=error, error_code="tool-error")
    assert "There is nothing to cancel" in browser.get(f"/runs/{run.pk}/cancel/").content.decode()
    answer = browser.post(f"/runs/{run.pk}/cancel/")
    assert answer.status_code == 409
    assert "Not canceled: the run has ended (failed)" in text_of(answer.content.decode())


def test_a_cancel_that_is_sent_twice_is_no_error(browser: Client, run: Run) -> None:
    first, second = (browser.post(f"/runs/{run.pk}/cancel/") for _ in range(2))
    assert first["Location"] == second["Location"]
    told = said(browser, second)
    assert "1 run canceled." in told
    assert "The run was canceled before." in told


def test_a_cancel_that_is_sent_twice_at_the_same_moment_is_no_error(
    browser: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel = cancelling.cancel

    def after_the_other(run_id: str, reason: str = "", **more: Any) -> cancelling.Canceled:
        cancel(run_id, reason)
        return cancel(run_id, reason, **more)

    monkeypatch.setattr(cancelling, "cancel", after_the_other)
    assert "The run was canceled before." in said(browser, browser.post(f"/runs/{run.pk}/cancel/"))


def test_a_reason_that_is_too_long_is_told_and_kept(browser: Client, run: Run) -> None:
    answer = browser.post(f"/runs/{run.pk}/cancel/", {"reason": "x" * 501})
    assert answer.status_code == 409
    assert fields_of(answer.content.decode())["reason"] == "x" * 501
    assert Run.objects.get(pk=run.pk).status == "queued"


FORMS = ["signal", "cancel", "retry", "fork", "fix"]
TAKES = {"fix": "retry"}


@pytest.mark.parametrize("name", FORMS)
def test_c38_a_viewer_without_rights_is_refused_in_words_and_logged(
    person: Callable[..., User], run: Run, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    verb = TAKES.get(name, name)
    viewer = person("vera", "view", "start")
    browser = Client()
    browser.force_login(viewer)
    before = Run.objects.values().get(pk=run.pk)
    for answer in (
        browser.post(f"/runs/{run.pk}/{name}/", {"name": "go", "step": "do"}),
        browser.get(f"/runs/{run.pk}/{name}/"),
    ):
        assert answer.status_code == 403
        assert f"You may not {verb} this run: it takes the permission runs.{verb}_run." in text_of(
            answer.content.decode()
        )
    assert caplog.messages.count(f"refused user={viewer.pk} verb={verb} run={run.pk}") == 2
    assert Run.objects.values().get(pk=run.pk) == before
    assert not Message.objects.exists()
    viewer = person("walt", "view", "start", verb)
    browser.force_login(viewer)
    assert browser.get(f"/runs/{run.pk}/{name}/").status_code == 200


@pytest.mark.parametrize("name", FORMS)
def test_a_run_that_one_does_not_see_is_not_found_and_that_is_logged(
    person: Callable[..., User], run: Run, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    stranger = person("bob", "start")
    browser = Client()
    browser.force_login(stranger)
    assert browser.post(f"/runs/{run.pk}/{name}/", {"name": "go"}).status_code == 404
    assert [m for m in caplog.messages if m.startswith("refused")] == [
        f"refused user={stranger.pk} verb={TAKES.get(name, name)} run={run.pk}"
    ]


def test_forms_without_their_token_are_refused(owner: User, run: Run) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    answer = browser.post(f"/runs/{run.pk}/cancel/")
    assert answer.status_code == 403
    assert "This form is too old, or not from here" in answer.content.decode()
    assert Run.objects.get(pk=run.pk).status == "queued"
