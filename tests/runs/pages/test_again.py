"""Retry, rewind, fork, fix and continue from their pages: shown first, done once."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from driving import script
from filling import fields_of, text_of
from going import begun, define_tools, executed, go_on

from runs import operations
from runs.models import Run
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)
THREE = "const a = await ctx.call('note', {v: 1}); const b = await ctx.call('once', {v: 'x'}); return [a, b]"


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


@pytest.fixture
def run(owner: User) -> Run:
    """Has failed at call 2, and will not fail there again."""
    return begun(THREE, title="Three", owner=owner)


def send(browser: Client, path: str, step: str, **fields: str) -> Any:
    return browser.post(path, {"step": step} | fields)


def confirm(browser: Client, path: str, html: str, **changes: str) -> Any:
    """Send the page as it is, by the button that does it."""
    return send(browser, path, "do", **fields_of(html) | changes)


def attempt_of(run: Run) -> int:
    return Run.objects.get(pk=run.pk).attempt


def test_retry_is_shown_at_once_and_done_on_confirmation(browser: Client, run: Run) -> None:
    path = f"/runs/{run.pk}/retry/"
    html = browser.get(path).content.decode()
    told = text_of(html)
    assert "Reused, answered from the journal: 1 call 1 tool note" in told
    assert 'Executed anew: 1 call 2 tool once {"v": "x"}' in told
    assert "Orphans, left behind in the journal: none" in told
    assert attempt_of(run) == 1
    answer = confirm(browser, path, html)
    assert answer["Location"] == f"/runs/{run.pk}/"
    assert "Attempt 2 has begun" in browser.get(answer["Location"]).content.decode()
    twice = confirm(browser, path, html)
    assert twice.status_code == 302
    assert "nothing was done a second time" in browser.get(twice["Location"]).content.decode()
    assert attempt_of(run) == 2
    assert go_on(run).output == [1, "x well"]
    assert executed == [1, "x", "x"]


def test_nothing_is_done_that_was_not_shown(browser: Client, run: Run) -> None:
    path = f"/runs/{run.pk}/retry/"
    answer = send(browser, path, "do", how="rewind", call="1")
    assert answer.status_code == 200
    assert "Rewind to call 1" in text_of(answer.content.decode())
    other = confirm(browser, path, answer.content.decode(), call="2")
    assert other.status_code == 200, "another call is shown first"
    assert attempt_of(run) == 1
    assert confirm(browser, path, other.content.decode()).status_code == 302
    assert attempt_of(run) == 2


def test_rewind_opens_from_a_link_with_its_call(browser: Client, run: Run) -> None:
    told = text_of(browser.get(f"/runs/{run.pk}/retry/?call=1").content.decode())
    assert "Executed anew: 1 call 3 tool note" in told
    assert "Orphans, left behind in the journal: 2" in told


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"how": "rewind"}, "Give the number of the call."),
        ({"how": "rewind", "call": "9"}, "the run has no call 9"),
        ({"how": "rewind", "call": "x"}, "Enter a whole number."),
        ({"how": "undo"}, "undo is not one of the available choices"),
    ],
)
def test_what_cannot_be_is_told(browser: Client, run: Run, fields: dict[str, str], expected: str) -> None:
    answer = send(browser, f"/runs/{run.pk}/retry/", "do", **fields)
    assert answer.status_code == 422
    assert expected in text_of(answer.content.decode())
    assert attempt_of(run) == 1


def test_a_run_that_cannot_be_retried_says_what_works(browser: Client, owner: User) -> None:
    done = begun("return await ctx.call('note', {v: 1})", owner=owner)
    html = browser.get(f"/runs/{done.pk}/retry/").content.decode()
    assert "Give the number of the call." not in html
    assert 'value="rewind"' in html
    assert 'value="retry"' not in html


def test_a_fork_is_made_once_with_another_result(browser: Client, owner: User, run: Run) -> None:
    path = f"/runs/{run.pk}/fork/"
    assert fields_of(browser.get(path).content.decode())["call"] == "2"
    html = send(browser, path, "dry", how="fork", call="2", result='"given"', once="a").content.decode()
    assert "Fork from call 2" in text_of(html)
    assert Run.objects.count() == 1
    first, second = (confirm(browser, path, html) for _ in range(2))
    assert first["Location"] == second["Location"] != f"/runs/{run.pk}/"
    fork = Run.objects.exclude(pk=run.pk).get()
    assert (go_on(fork).output, fork.owner, fork.forked_from_id) == ([1, "given"], owner, run.pk)


def test_a_result_of_null_is_a_result(browser: Client, run: Run) -> None:
    path = f"/runs/{run.pk}/fork/"
    html = send(browser, path, "dry", how="fork", call="2", result="null", once="a").content.decode()
    confirm(browser, path, html)
    assert go_on(Run.objects.exclude(pk=run.pk).get()).output == [1, None]


def test_a_result_that_is_no_json_is_told(browser: Client, run: Run) -> None:
    answer = send(browser, f"/runs/{run.pk}/fork/", "dry", how="fork", call="2", result="{")
    assert answer.status_code == 422
    assert "Not JSON at line 1, column 2" in text_of(answer.content.decode())


def test_fix_and_continue_shows_lists_and_diff_and_goes_on(browser: Client, owner: User) -> None:
    run = begun("const a = await ctx.call('note', {v: 1});\nthrow new Error('<b>no</b>')", owner=owner)
    path = f"/runs/{run.pk}/fix/"
    opened = fields_of(browser.get(path).content.decode())
    assert run.source is not None
    assert opened["source"] == run.source.text
    mended = script("const a = await ctx.call('note', {v: 1});\nreturn a + '<i>'").replace("\n", "\r\n")
    answer = send(browser, path, "dry", **opened | {"source": mended, "how": "retry"})
    html = answer.content.decode()
    assert answer.status_code == 200
    told = text_of(html)
    assert "Reused, answered from the journal: 1" in told
    assert "3 - throw new Error('<b>no</b>') 3 + return a + '<i>'" in told
    assert "<b>no" not in html
    assert "<i>" not in html
    assert attempt_of(run) == 1
    assert confirm(browser, path, html).status_code == 302
    mended_run = go_on(run)
    assert (mended_run.status, mended_run.output, executed) == ("succeeded", "1<i>", [1])


def test_a_fix_that_was_edited_after_its_dry_replay_is_shown_again(browser: Client, run: Run) -> None:
    path = f"/runs/{run.pk}/fix/"
    fields = fields_of(browser.get(path).content.decode()) | {"how": "retry"}
    html = send(browser, path, "dry", **fields | {"source": script(THREE) + "// one\n"}).content.decode()
    answer = confirm(browser, path, html, source=script(THREE) + "// two\n")
    assert answer.status_code == 200
    assert "// two" in text_of(answer.content.decode())
    assert attempt_of(run) == 1


def test_a_fix_that_lint_refuses_keeps_the_source(browser: Client, run: Run) -> None:
    path = f"/runs/{run.pk}/fix/"
    answer = send(browser, path, "dry", how="retry", source=script("return Date.now()"))
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "The script has 1 error." in text_of(html)
    assert fields_of(html)["source"] == script("return Date.now()")


def test_a_form_that_is_sent_twice_at_the_same_moment_does_one_thing(
    browser: Client, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, once = f"/runs/{run.pk}/retry/", operations.retry
    html = browser.get(path).content.decode()

    def after_the_other(run_id: str, **how: Any) -> Any:
        once(run_id, **how)
        return once(run_id, **how)

    monkeypatch.setattr(operations, "retry", after_the_other)
    answer = confirm(browser, path, html)
    assert answer.status_code == 302
    assert "Attempt 2 has begun; nothing was done a second time" in browser.get(answer["Location"]).content.decode()
    assert attempt_of(run) == 2


def test_live_children_are_asked_about(browser: Client, owner: User) -> None:
    source = script("await ctx.waitForEvent({})")
    run = begun(f"return await ctx.delegate({{script: {json.dumps(source)}, title: 'Kid'}})", owner=owner)
    path = f"/runs/{run.pk}/retry/"
    html = browser.get(f"{path}?call=1").content.decode()
    assert "1 child has not ended" in text_of(html)
    assert "Kid" in text_of(html)
    refused = confirm(browser, path, html)
    assert refused.status_code == 422
    assert "Say what becomes of them" in text_of(refused.content.decode())
    assert attempt_of(run) == 1
    shown = send(browser, path, "dry", **fields_of(html)).content.decode()
    assert confirm(browser, path, shown, children="cancel").status_code == 302
    assert Run.objects.get(title="Kid", status="canceled")


@pytest.mark.parametrize("page", ["fork", "retry"])
def test_cancelling_live_children_takes_the_right_to_cancel(
    person: Callable[..., User], owner: User, page: str, caplog: pytest.LogCaptureFixture
) -> None:
    source = script("await ctx.waitForEvent({})")
    run = begun(f"return await ctx.delegate({{script: {json.dumps(source)}, title: 'Kid'}})", owner=owner)
    helper = person("hal", "view", "retry", "fork")
    browser, path = Client(), f"/runs/{run.pk}/{page}/"
    browser.force_login(helper)
    html = browser.get(f"{path}?call=1").content.decode()
    assert "Let them go on" in text_of(html)
    assert "Cancel them" not in text_of(html)
    refused = confirm(browser, path, html, children="cancel")
    assert refused.status_code == 422
    assert "runs.cancel_run" in text_of(refused.content.decode())
    assert f"refused user={helper.pk} verb=cancel run={run.pk}" in caplog.messages
    assert Run.objects.get(title="Kid").status == "waiting"
    assert Run.objects.count() == 2
    assert confirm(browser, path, html, children="keep").status_code == 302
    assert Run.objects.get(title="Kid").status == "waiting"


def test_an_agent_is_retried_as_a_whole_and_has_nothing_to_fix(browser: Client, run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(source=None, kind="agent", agent="triage")
    told = text_of(browser.get(f"/runs/{run.pk}/retry/").content.decode())
    assert "it is executed again as a whole" in told
    assert "Rewind" not in told
    answer = browser.post(f"/runs/{run.pk}/fix/", {"how": "retry", "source": script("return 1"), "step": "do"})
    assert answer["Location"] == f"/runs/{run.pk}/retry/"
    assert "an agent has no calls" in text_of(browser.get(f"/runs/{run.pk}/fork/?call=1").content.decode())
    assert attempt_of(run) == 1


def test_fixing_takes_the_right_to_start_runs(person: Callable[..., User], run: Run) -> None:
    helper = person("hal", "view", "retry", "fork")
    browser = Client()
    browser.force_login(helper)
    assert browser.get(f"/runs/{run.pk}/fix/").status_code == 403
    assert browser.get(f"/runs/{run.pk}/retry/").status_code == 200
    answer = send(browser, f"/runs/{run.pk}/fix/", "do", how="retry", source=script("return 1"))
    assert answer.status_code == 403
    assert attempt_of(run) == 1
