"""The list of runs in the admin: columns, filters, search, pages, counts, whose runs it shows, and what it costs."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from filling import text_of
from plans import asked, plan, scans

from runs import library
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return input }"
URL = "/admin/runs/run/"
LARGE = ("input", "output", "error", "plan", "budget")


def html_of(client: Client, query: str = "") -> str:
    answer = client.get(URL + query)
    assert answer.status_code == 200, (answer.status_code, answer.get("Location"))
    return answer.content.decode()


def titles(client: Client, query: str = "") -> list[str]:
    return re.findall(r'field-run"><a [^>]*><bdi>(.*?)</bdi>', html_of(client, query))


def made(owner: User, title: str, **fields: Any) -> Run:
    return start(SOURCE, title=title, owner=owner, **fields).run


def parked(run: Run, kind: str = "wait", label: str | None = None) -> Run:
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    part = {"kind": kind, "callSeq": 1, "waitId": "w1", "wakeAt": None, "match": {}, "label": label}
    assert move(mine, Move.PARK, wait=[part], wake_at=timezone.now() + timedelta(hours=1))
    return run


def failed(run: Run, code: str = "tool-error", tool: str | None = None) -> Run:
    error = {"code": code, "message": "no"}
    assert move(Run.objects.filter(pk=run.pk), Move.FAIL, error=error, error_code=code, failed_tool=tool)
    return run


def test_a_row_says_in_words_where_a_run_stands(admin: Client, owner: User) -> None:
    library.save("report", SOURCE)
    run = parked(library.start_script("report", title="Report <b>7</b>", owner=owner).run, label="Sign-off")
    Run.objects.filter(pk=run.pk).update(
        progress={"label": "two of five", "fraction": 0.4}, attempt=2, max_attempts=3, started_at=timezone.now()
    )
    html = html_of(admin)
    told = text_of(html)
    for words in ("◷ Waiting", "Report <b>7</b>", "report@1", "workflow", "40% two of five", "2 of 3"):
        assert words in told, words
    assert "Waiting for Sign-off until" in told
    assert f'href="/admin/runs/run/{run.pk}/change/' in html
    assert "<b>7</b>" not in html


def test_a_failed_run_says_its_error_and_the_tool(admin: Client, run: Run) -> None:
    failed(run, "tool-error", "note")
    assert "tool-error in note" in text_of(html_of(admin))


FILTERS = [
    ("status=failed", ["Failed"]),
    ("status=waiting", ["Waiting"]),
    ("kind=agent", ["Agent"]),
    ("script=report", ["Scripted"]),
    ("script=nothing", []),
    ("waiting=signal", ["Waiting"]),
    ("waiting=timer", []),
    ("code=tool-error", ["Failed"]),
    ("tool=note", ["Failed"]),
    ("queue=background", ["Background"]),
    ("schedule=nightly", ["Scheduled"]),
    ("sign=orphans", ["Odd"]),
    ("created=1h&roots=1&status=failed", ["Failed"]),
    ("q=hedul", ["Scheduled"]),
    ("q=key-7", ["Keyed"]),
]


@pytest.fixture
def several(owner: User) -> dict[str, Run]:
    library.save("report", SOURCE)
    runs = {name: made(owner, name) for name in ("Failed", "Waiting", "Agent", "Scheduled", "Odd")}
    runs["Background"] = made(owner, "Background", queue="background")
    runs["Keyed"] = made(owner, "Keyed", key="key-7")
    runs["Scripted"] = library.start_script("report", title="Scripted", owner=owner).run
    failed(runs["Failed"], "tool-error", "note")
    parked(runs["Waiting"])
    for name, fields in {
        "Agent": {"kind": "agent", "agent": "llm"},
        "Scheduled": {"schedule": "nightly"},
        "Odd": {"signs": 2},
    }.items():
        Run.objects.filter(pk=runs[name].pk).update(**fields)
    return runs


@pytest.mark.parametrize(("query", "expected"), FILTERS)
def test_filters_and_search(admin: Client, several: dict[str, Run], query: str, expected: list[str]) -> None:
    assert titles(admin, f"?{query}") == expected


def test_the_codes_that_are_offered_are_those_that_there_are(admin: Client, several: dict[str, Run]) -> None:
    failed(several["Keyed"], "card-declined", "note")
    offered = re.findall(r'href="\?code=([^"&]*)"', html_of(admin))
    assert offered == ["card-declined", "tool-error"]


def test_search_finds_the_beginning_of_an_id(admin: Client, several: dict[str, Run]) -> None:
    assert titles(admin, f"?q={several['Odd'].pk[:20]}") == ["Odd"]


@pytest.mark.parametrize(
    "name", ["status", "kind", "waiting", "queue", "sign", "created", "before", "title__startswith"]
)
def test_what_no_filter_offers_leads_back_to_the_list(admin: Client, run: Run, name: str) -> None:
    answer = admin.get(f"{URL}?{name}=nonsense")
    assert (answer.status_code, answer.get("Location")) in [(302, f"{URL}?e=1"), (400, None)]


@pytest.mark.parametrize("value", ["\0", "x" * 5000])
@pytest.mark.parametrize("name", ["script", "code", "tool", "schedule", "q"])
def test_no_address_breaks_the_list(admin: Client, run: Run, name: str, value: str) -> None:
    assert admin.get(f"{URL}?{name}={quote(value)}").status_code in (200, 302)


def test_counts_are_links_that_filter(admin: Client, several: dict[str, Run]) -> None:
    html = html_of(admin, "?kind=workflow")
    chips = dict(re.findall(r'<a class="chip" href="([^"]*)"[^>]*>.*?<span class="count">(.*?)</span>', html))
    assert chips["?kind=workflow&amp;status=failed"] == "1"
    assert chips["?kind=workflow&amp;status=queued"] == "5"


def test_pages_come_before_an_id(admin: Client, owner: User) -> None:
    runs = [made(owner, f"n{number:02}") for number in range(60)]
    newest = [run.title for run in sorted(runs, key=lambda run: run.pk, reverse=True)]
    first = html_of(admin)
    assert titles(admin) == newest[:50]
    [older] = re.findall(r'href="(\?before=[^"]*)" rel="next"', first)
    assert titles(admin, older) == newest[50:]
    assert 'rel="next"' not in html_of(admin, older)


def test_staff_without_the_permission_see_their_own_runs(
    several: dict[str, Run], staff: Callable[..., User], owner: User
) -> None:
    bob = staff("bob")
    made(bob, "Of Bob")
    client = Client()
    client.force_login(bob)
    assert titles(client) == ["Of Bob"]
    assert titles(client, "?q=Failed") == []
    client.force_login(owner)
    assert len(titles(client)) == len(several)


def test_those_who_are_not_staff_are_asked_to_sign_in(run: Run) -> None:
    client = Client()
    client.force_login(User.objects.create_user("guest"))
    assert client.get(URL)["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("path", ["add/", "{run}/delete/"])
def test_rows_are_neither_made_nor_deleted_by_hand(path: str, run: Run) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    address = URL + path.format(run=run.pk)
    assert (client.get(address).status_code, client.post(address, {"post": "yes"}).status_code) == (403, 403)
    assert "delete_selected" not in html_of(client)
    assert "Add run" not in html_of(client)
    assert Run.objects.count() == 1


def test_c39_the_queries_are_as_many_for_many_runs_and_read_no_payload(admin: Client, owner: User) -> None:
    def queries() -> list[str]:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            html_of(admin)
        return [query["sql"] for query in asked.captured_queries]

    made(owner, "first")
    queries()  # what is looked up once in a process
    few = queries()
    for number in range(55):
        made(owner, f"n{number}")
    many = queries()
    assert len(many) == len(few)
    for sql in many:
        for column in LARGE:
            assert f'"runs_run"."{column}"' not in sql, sql
        # A count has a bound, or is of what somebody has chosen.
        assert "COUNT(" not in sql or "LIMIT" in sql, sql


def test_no_filter_reads_the_whole_table(admin: Client, several: dict[str, Run]) -> None:
    for query, _ in [("", []), *FILTERS]:
        with asked() as queries:
            html_of(admin, f"?{query}")
        told = {sql: plan(sql, params) for sql, params in queries if '"runs_run"' in sql}
        assert told, query
        for sql, planned in told.items():
            assert not scans(planned), (query, sql, planned)
