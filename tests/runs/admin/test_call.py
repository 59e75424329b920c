"""One call, inspected: what it says, which line it names, and which verbs it offers to whom."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from driving import script
from filling import fields_of, text_of
from going import begun, executed, go_on

from runs import operations
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own


def page(client: Client, run: Run, call: int, status: int = 200) -> str:
    answer = client.get(f"/admin/runs/run/{run.pk}/call/{call}/")
    assert answer.status_code == status
    return answer.content.decode()


def test_a_call_says_what_was_asked_and_what_came_of_it(admin: Client) -> None:
    run = begun("\n\nreturn ctx.call('note', {v: '<b>7</b>'}, {description: 'Notes seven'})")
    told = text_of(html := page(admin, run, 1))
    for words in ("Call 1: note", "Notes seven", "Succeeded", "Arguments", "Result", f"Token {run.pk}:1", "Began"):
        assert words.lower() in told.lower(), words
    assert "<b>7" not in html


def test_a_failed_call_is_retried_rewound_or_forked_from_there(admin: Client) -> None:
    run = begun("await ctx.call('note', {v: 1}); await ctx.call('once', {v: 'x'})")
    html = page(admin, run, 2)
    for action in (
        "retry/?how=retry&amp;call=2",
        "retry/?how=rewind&amp;call=2",
        "fork/?call=2&amp;result=",
        'fork/?call=2"',
    ):
        assert f"/runs/{run.pk}/{action}" in html, action
    assert "it broke" in text_of(html)
    assert "how=retry" not in page(admin, run, 1), "it has not failed"


def test_retry_this_call_retries_it_and_no_other(admin: Client) -> None:
    run = begun(
        "const one = await ctx.call('once', {v: 'a'}).catch(() => 'caught');"
        "await ctx.call('once', {v: 'b'}); return one"
    )
    form = fields_of(admin.get(f"/runs/{run.pk}/retry/?how=retry&call=1").content.decode())
    assert form["call"] == "1"
    assert admin.post(f"/runs/{run.pk}/retry/", form | {"step": "do"}).status_code == 302
    assert executed == ["a", "b"]
    go_on(run)
    assert executed.count("a") == 2


def test_fork_with_another_result_opens_the_form_for_it(admin: Client) -> None:
    run = begun("return ctx.call('note', {v: 1})")
    html = admin.get(f"/runs/{run.pk}/fork/?call=1&result=").content.decode()
    assert fields_of(html)["call"] == "1"
    assert "What it comes to" not in text_of(html)


def test_the_line_is_that_of_the_script_as_it_is_now_and_nothing_is_executed(admin: Client) -> None:
    run = begun("await ctx.call('note', {v: 1})\nthrow new Error('no')")
    recorded = page(admin, run, 1)
    edited = "// a line more\n" + script("await ctx.call('note', {v: 1})\nreturn 1")
    operations.retry(run.pk, source=edited)
    run = go_on(run)
    assert run.status == "succeeded"
    before = list(executed)
    html = page(admin, run, 1)
    [old] = [n for n in range(1, 9) if f"Line {n} " in text_of(recorded)]
    assert f"Line {old + 1} " in text_of(html)
    assert f"It was line {old} of the script that made the call" in text_of(html)
    assert executed == before


def test_a_call_that_was_left_behind_says_so_and_offers_nothing(admin: Client) -> None:
    run = begun("return ctx.call('note', {v: 1})")
    operations.rewind(run.pk, 1)
    go_on(run)
    html = page(admin, run, 1)
    assert "Attempt 2 of the run has left this call behind" in text_of(html)
    assert "/fork/" not in html


def test_the_child_of_a_call_is_linked(admin: Client) -> None:
    run = begun("return ctx.delegate({script: 'export default async () => 1', title: 'Child'})")
    child = Run.objects.get(parent_id=run.pk)
    assert f"/admin/runs/run/{child.pk}/change/" in page(admin, run, 1)


@pytest.mark.parametrize("call", [0, 9, 2**31])
def test_a_call_that_there_is_not_is_not_found(admin: Client, call: int) -> None:
    run = begun("return ctx.call('note', {v: 1})")
    page(admin, run, call, 404)


def test_who_may_only_view_is_offered_no_verb(staff: Callable[..., User]) -> None:
    run = begun("await ctx.call('once', {v: 'x'})")
    client = Client()
    client.force_login(staff("eve", "view"))
    html = page(client, run, 1)
    assert "/retry/" not in html
    assert "/fork/" not in html
