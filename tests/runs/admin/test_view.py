"""One run in the admin: what its page has, what the machine and the operators keep of it, and who sees it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from filling import text_of
from going import begun, go_on

from runs import audit, operations, signals
from runs.models import Run

pytestmark = pytest.mark.django_db
advancing = pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own


def page(client: Client, run: Run, query: str = "", status: int = 200) -> str:
    answer = client.get(f"/admin/runs/run/{run.pk}/change/{query}")
    assert answer.status_code == status
    return answer.content.decode()


@pytest.mark.parametrize("tab", ["activity", "calls", "timeline", "source", "values"])
def test_it_has_the_tabs_of_the_runs_own_page(admin: Client, run: Run, tab: str) -> None:
    html = page(admin, run, f"?tab={tab}")
    assert f'data-tab="{tab}"' in html
    assert "Greeting" in text_of(html)
    assert 'id="run"' in html


@advancing
def test_it_says_who_moves_it_what_it_has_used_and_what_it_was_sent(admin: Client, operator: User) -> None:
    run = begun("await ctx.call('note', {v: 1}); return ctx.waitForEvent({signal: 'go'})", owner=operator)
    Run.objects.filter(pk=run.pk).update(schedule="nightly", crashes=2)
    signals.send(run.pk, "other", {"a": "<b>"}, id="once", sender=operator)
    html = page(admin, run)
    told = text_of(html)
    for words in (
        "Lease nobody holds it",
        f"Fence {run.fence}",
        "Lost workers 2",
        f"{run.journal.next_seq - 1} of 5,000 entries",
        "of 8.0",
        "signal other id once vera",
        "Attempts 1 began",
    ):
        assert words in told, words
    assert "?schedule=nightly" in html
    assert "<b>" not in html


@advancing
def test_attempts_replay_health_and_operators_are_told(admin: Client, operator: User) -> None:
    run = begun("await ctx.call('note', {v: 1}); return ctx.call('note', {v: 2})")
    operations.rewind(run.pk, 2)
    audit.record(operator, run, "rewind", "it was wrong", call=2)
    run = go_on(run)
    told = text_of(page(admin, run))
    assert "attempt 2: rewound to call 2" in told
    assert "Left behind 1" in told
    assert "vera: rewind (it was wrong), call 2" in told
    assert f"/admin/runs/run/{run.pk}/call/2/" in page(admin, run)


@advancing
def test_the_chain_of_successors_is_told(admin: Client) -> None:
    last = begun("if (input === null) return ctx.continueAsNew(1); return input")
    runs = list(Run.objects.order_by("pk"))
    assert len(runs) == 2
    assert last.pk == runs[0].pk
    html = page(admin, runs[0])
    assert "Chain of successors" in text_of(html)
    assert f"/admin/runs/run/{runs[1].pk}/change/" in html


def test_it_is_only_read(admin: Client, run: Run) -> None:
    assert admin.post(f"/admin/runs/run/{run.pk}/change/", {"title": "other"}).status_code == 405
    assert Run.objects.get(pk=run.pk).title == "Greeting"


@pytest.mark.parametrize("path", ["change/", "change/?tab=source", "call/1/"])
def test_what_one_does_not_see_is_not_found(run: Run, staff: Callable[..., User], path: str) -> None:
    client = Client()
    client.force_login(staff("bob", "cancel", "retry"))
    assert client.get(f"/admin/runs/run/{run.pk}/{path}").status_code == 404


@pytest.mark.parametrize("name", ["no-such-run", "1", "\0"])
def test_what_is_no_run_is_not_found(admin: Client, name: str) -> None:
    assert admin.get(f"/admin/runs/run/{name}/change/").status_code == 404


def test_the_history_of_django_shows_the_deeds_too(admin: Client, operator: User, run: Run) -> None:
    audit.record(operator, run, "cancel", "a mistake")
    answer = admin.get(f"/admin/runs/run/{run.pk}/history/")
    assert answer.status_code == 200
    assert "cancel: a mistake" in text_of(answer.content.decode())
