"""The run pages: who sees which runs, and what a page says of one."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
SOURCE = "export default async function (input, ctx) { return input }"


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def run(owner: User) -> Run:
    return start(SOURCE, input={"who": "<b>Ada</b>"}, title="Greeting", owner=owner).run


def page(user: User, path: str) -> tuple[int, str]:
    client = Client()
    client.force_login(user)
    answer = client.get(path)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize("path", ["/runs/", "/runs/some-run/"])
def test_pages_ask_strangers_to_sign_in(path: str) -> None:
    answer = Client().get(path)
    assert answer.status_code == 302
    assert answer["Location"] == f"/login/?next={path}"


def test_the_root_leads_to_the_runs() -> None:
    assert Client().get("/")["Location"] == "/runs/"


def test_the_health_check_answers_without_a_database() -> None:
    assert Client().get("/healthz").content == b"ok\n"


def test_a_run_is_shown_with_status_in_words_and_escaped_values(owner: User, run: Run) -> None:
    status, html = page(owner, f"/runs/{run.pk}/")
    assert status == 200
    assert "Queued" in html
    assert "&lt;b&gt;Ada&lt;/b&gt;" in html
    assert "Greeting" in page(owner, "/runs/")[1]


def test_a_sleeping_run_says_until_when(owner: User, run: Run) -> None:
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    move(mine, Move.PARK, wake_at=timezone.now() + timedelta(days=400))
    assert "Sleeping until 2" in page(owner, f"/runs/{run.pk}/")[1]


def test_a_failed_run_shows_its_error_and_its_plan(owner: User, run: Run) -> None:
    plan = {"title": "The \ud800 plan", "steps": [{"id": "a", "label": "Say hello", "status": "failed"}]}
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.FAIL, error={"code": "workflow-error", "message": "no"}, error_code="workflow-error", plan=plan)
    status, html = page(owner, f"/runs/{run.pk}/")
    assert status == 200
    assert "Failed" in html
    assert "workflow-error" in html
    assert "Say hello" in html
    assert "\\ud800" in html


def test_others_see_a_run_only_with_the_right_to_view_runs(run: Run) -> None:
    other = User.objects.create_user("bob")
    assert page(other, f"/runs/{run.pk}/")[0] == 404
    assert "Greeting" not in page(other, "/runs/")[1]
    other.user_permissions.add(Permission.objects.get(codename="view_run"))
    other = User.objects.get(pk=other.pk)
    assert page(other, f"/runs/{run.pk}/")[0] == 200
    assert "Greeting" in page(other, "/runs/")[1]


def test_an_unknown_run_is_not_found(owner: User) -> None:
    assert page(owner, "/runs/no-such-run/")[0] == 404


def test_an_error_is_shown_as_people_read_it(owner: User, run: Run) -> None:
    error = {"code": "unknown-tool", "message": "no 'x'", "line": 2, "excerpt": "> 2 | x()", "tool": "x", "callSeq": 3}
    progress = {"fraction": 0.5, "label": "half way"}
    move(Run.objects.filter(pk=run.pk), Move.FAIL, error=error, error_code="unknown-tool", progress=progress)
    html = page(owner, f"/runs/{run.pk}/")[1]
    for words in ("Error: unknown-tool", "DAYBOOK_APPS", "<pre>&gt; 2 | x()</pre>", "From call 3 (<code>x</code>)"):
        assert words in html
    assert "50% half way" in html
    assert "✕</span>Failed" in html


def test_pages_say_that_they_do_not_refresh_and_hold_nothing_inline(owner: User, run: Run) -> None:
    html = page(owner, f"/runs/{run.pk}/")[1]
    assert re.search(r"As of \d\d:\d\d:\d\d UTC. This page does not refresh itself.", html)
    assert "<style" not in html
    assert not re.search(r"<script(?![^>]* src=)", html)


def test_an_untitled_run_is_listed_once_by_its_short_id(owner: User) -> None:
    run = start(SOURCE, owner=owner).run
    assert page(owner, "/runs/")[1].count(f">{run.pk[:14]}<") == 1


def test_what_is_not_found_has_a_page_with_a_way_back(owner: User) -> None:
    status, html = page(owner, "/runs/no-such-run/")
    assert status == 404
    assert "Back to the runs" in html
    assert "<header" in html
