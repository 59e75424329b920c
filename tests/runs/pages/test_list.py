"""The list of runs: filters, pages, what it costs, and that it never hides an error."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import filling
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from journal import store
from runs import library
from runs.ids import first_id
from runs.lifecycle import Move, move
from runs.models import Run
from runs.pages import lists
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return input }"
Person = Callable[..., User]


def titles(browser: Client, query: str = "", status: int = 200) -> list[str]:
    answer = browser.get(f"/runs/{query}")
    assert answer.status_code == status, answer.content
    return re.findall(r'<td class="what">\s*<a [^>]*><bdi>(.*?)</bdi>', answer.content.decode())


def text_of(browser: Client, query: str = "") -> str:
    return filling.text_of(browser.get(f"/runs/{query}").content.decode())


def made(owner: User, title: str, **fields: Any) -> Run:
    return start(SOURCE, title=title, owner=owner, **fields).run


def parked(run: Run, *kinds: str) -> None:
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    parts = [{"kind": k, "callSeq": n, "wakeAt": None, "match": {}, "label": None} for n, k in enumerate(kinds, 1)]
    assert move(mine, Move.PARK, wait=parts, wake_at=timezone.now() + timedelta(hours=1))


def failed(run: Run, code: str) -> None:
    error = {"code": code, "message": "no"}
    assert move(Run.objects.filter(pk=run.pk), Move.FAIL, error=error, error_code=code)


def ended(run: Run) -> None:
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    assert move(mine, Move.SUCCEED)


def child_of(run: Run, title: str) -> Run:
    child = made(run.owner, title)  # type: ignore[arg-type]
    Run.objects.filter(pk=child.pk).update(parent=run, root=run.root_id, depth=1)
    return child


def test_the_newest_run_comes_first(browser: Client, owner: User) -> None:
    for title in ("one", "two", "three"):
        made(owner, title)
    ids = list(Run.objects.order_by("-pk").values_list("title", flat=True))
    assert titles(browser) == ids


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?status=failed", {"Invoice 7"}),
        ("?status=waiting", {"Nightly", "Approval"}),
        ("?q=invoice", {"Invoice 7", "Invoice 8"}),
        ("?q=order%2F8", {"Invoice 8"}),
        ("?waiting=signal", {"Approval"}),
        ("?waiting=timer", {"Nightly", "Approval"}),
        ("?waiting=retry", set()),
        ("?waiting=timer&status=failed", set()),
        ("?code=tool-error", {"Invoice 7"}),
        ("?q=invoice&status=queued", {"Invoice 8"}),
        ("?script=greet", {"greet", "Old greeting"}),
        ("?script=greet@1", {"Old greeting"}),
        ("?script=nothing", set()),
        ("?mine=on", {"Invoice 7", "Invoice 8", "Nightly", "Approval", "greet", "Old greeting"}),
    ],
)
def test_filters(browser: Client, owner: User, query: str, expected: set[str]) -> None:
    failed(made(owner, "Invoice 7"), "tool-error")
    made(owner, "Invoice 8", key="order/8")
    parked(made(owner, "Nightly"), "timer")
    parked(made(owner, "Approval"), "timer", "wait")
    library.save("greet", SOURCE)
    library.start_script("greet", title="Old greeting", owner=owner)
    library.save("greet", SOURCE + "\n")
    library.start_script("greet", owner=owner)
    assert set(titles(browser, query)) == expected


def test_started_in_a_range_goes_by_the_time_in_the_id(browser: Client, owner: User) -> None:
    made(owner, "today")
    old_id = first_id(timezone.now() - timedelta(days=8))
    journal = store.fresh(old_id, 1)
    journal.save(force_insert=True)
    Run.objects.create(
        id=old_id, journal=journal, root_id=old_id, title="long ago", owner=owner, deadline_at=timezone.now()
    )
    assert titles(browser, "?started=1h") == ["today"]
    assert titles(browser, "?started=7d") == ["today"]
    assert titles(browser, "?started=30d") == ["today", "long ago"]


def test_a_run_is_found_by_the_beginning_of_its_id_also_a_child(browser: Client, run: Run) -> None:
    child = child_of(run, "below")
    assert titles(browser) == ["Greeting"]
    assert set(titles(browser, "?children=on")) == {"Greeting", "below"}
    assert titles(browser, f"?q={child.pk}") == ["below"]
    assert titles(browser, f"?q={child.pk.upper()}") == ["below"]


def test_text_that_means_something_to_sql_is_text(browser: Client, owner: User) -> None:
    made(owner, "100% sure_thing")
    made(owner, "1000 sure things")
    assert titles(browser, "?q=100%25") == ["100% sure_thing"]
    assert titles(browser, "?q=e_t") == ["100% sure_thing"]


def test_pages_follow_each_other_without_a_gap(browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "PAGE", 3)
    for number in range(7):
        made(owner, f"run {number}")
    seen: list[str] = []
    query = "?status=queued"
    for size in (3, 3, 1):
        html = browser.get(f"/runs/{query}").content.decode()
        page = titles(browser, query)
        assert len(page) == size
        seen += page
        older = re.search(r'href="(\?[^"]*)" rel="next"', html)
        assert bool(older) == (len(seen) < 7)
        query = older.group(1).replace("&amp;", "&") if older else ""
    assert seen == list(Run.objects.order_by("-pk").values_list("title", flat=True))


def test_a_search_that_stopped_says_how_far_it_went_and_goes_on(
    browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.finding.window.WINDOW", 3)
    made(owner, "needle", key="the-needle")
    for number in range(5):
        made(owner, f"hay {number}")
    assert "Searched back to" in text_of(browser, "?q=needl")
    html = browser.get("/runs/?q=needl").content.decode()
    found = re.search(r'<a class="button" href="(\?[^"]*)">Search older runs', html)
    assert found
    if not titles(browser, "?q=needl"):
        assert titles(browser, found.group(1).replace("&amp;", "&")) == ["needle"]
    assert titles(browser, "?q=the-needle") == ["needle"]


def test_statuses_are_counted_and_the_counts_are_filters(browser: Client, owner: User) -> None:
    failed(made(owner, "a"), "tool-error")
    made(owner, "b invoice")
    made(owner, "c invoice")
    assert re.search(r"All ○ Queued 2 ▶ Running 0 ◷ Waiting 0 ✓ Succeeded 0 ✕ Failed 1 ⊘ Canceled 0", text_of(browser))
    assert "○ Queued 2 ▶ Running 0 ◷ Waiting 0 ✓ Succeeded 0 ✕ Failed 0" in text_of(browser, "?q=invoice&status=failed")
    assert 'href="?status=failed&amp;q=invoice"' in browser.get("/runs/?q=invoice").content.decode()


def test_a_count_stops_where_nobody_counts_any_more(
    browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.finding.counting.COUNTED", 3)
    for number in range(5):
        made(owner, f"{number}")
    assert "Queued 3+" in text_of(browser)
    assert "Queued 3+" in text_of(browser, "?children=on")


def queries_of(browser: Client, path: str) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert browser.get(path).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.parametrize("query", ["", "?q=run", "?children=on", "?script=greet&status=queued"])
def test_a_list_costs_the_same_queries_whatever_is_in_it_and_loads_no_payload(person: Person, query: str) -> None:
    viewer = person("vera", "view")
    browser = Client()
    browser.force_login(viewer)
    library.save("greet", SOURCE)
    library.start_script("greet", owner=person("first"))
    few = queries_of(browser, f"/runs/{query}")
    for number in range(12):
        run = library.start_script("greet", title=f"run {number}", owner=person(f"owner {number}")).run
        child = child_of(run, f"child {number}")
        if number % 2:
            ended(run)
            ended(child)
    many = queries_of(browser, f"/runs/{query}")
    assert len(many) <= len(few) + 1 <= 20  # no row, no look at the rows
    for sql in many:
        assert not re.search(r'"runs_run"\."(input|output|error|plan|progress|budget)"', sql)
        assert '"runs_source"."text"' not in sql


def test_no_runs_says_so_in_words_with_the_filters(browser: Client) -> None:
    assert "No runs yet." in text_of(browser)
    assert "No runs: failed, with “<b>”, started in the last hour." in (
        browser.get("/runs/?status=failed&q=<b>&started=1h").content.decode().replace("&lt;b&gt;", "<b>")
    )


@pytest.mark.parametrize(
    "query", ["?status=asleep", "?started=1y", "?before=x", "?script=a@b", "?q=" + "x" * 201, "?q=%00"]
)
def test_filters_that_make_no_sense_are_told_and_show_no_list(browser: Client, run: Run, query: str) -> None:
    answer = browser.get(f"/runs/{query}")
    assert answer.status_code == 400
    html = answer.content.decode()
    assert "These filters cannot be used" in html
    assert "No runs" not in html


def test_a_database_that_does_not_answer_never_looks_like_no_runs(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("runs.finding.find", away)
    answer = browser.get("/runs/")
    assert answer.status_code == 503
    html = answer.content.decode()
    assert "The database does not answer" in html
    assert "No runs" not in html
    assert "connection refused" not in html


def test_what_scripts_made_up_is_text(browser: Client, owner: User) -> None:
    made(owner, "</script><img src=x onerror=alert(1)>\u202egnp")
    html = browser.get("/runs/").content.decode()
    assert "<img src=x" not in html
    assert "<bdi>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\u202egnp</bdi>" in html


@contextmanager
def strict() -> Iterator[None]:
    """A database that takes no NUL character, as PostgreSQL does not."""

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        assert "\0" not in "".join(map(str, params or ())), sql
        return run(sql, params, many, context)

    with connection.execute_wrapper(execute):
        yield


@pytest.mark.parametrize("value", ["%00", "x,%00", "%F0%9F%98%80", "x" * 5000])
def test_rows_of_what_is_no_id_are_none(browser: Client, run: Run, value: str) -> None:
    with strict():
        assert run.title not in browser.get(f"/runs/?ids={value}").content.decode()
        assert run.title in browser.get(f"/runs/?ids={value},{run.pk}").content.decode()
        assert "data-newer" not in browser.get(f"/runs/?ids={run.pk}&newest={value}").content.decode()


def fragment(browser: Client, *runs: Run, query: str = "", newest: str | None = None) -> str:
    ids = ",".join(run.pk for run in runs)
    more = "" if newest is None else f"&newest={newest}"
    answer = browser.get(f"/runs/?ids={ids}{more}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_rows_are_given_again_wherever_they_stand_now(browser: Client, owner: User, run: Run) -> None:
    other = made(owner, "Other")
    failed(run, "tool-error")
    html = fragment(browser, run, other, query="&status=queued")
    assert re.findall(r'data-run="(\w+)"', html) == [run.pk, other.pk]
    assert "Failed: tool-error" in html
    assert "<html" not in html
    assert "data-newer" not in html


def test_what_is_no_id_names_no_row(browser: Client, run: Run) -> None:
    """A NUL character, say, is more than a database takes."""
    with CaptureQueriesContext(connection) as captured:
        answer = browser.get("/runs/", {"ids": f"a\0b,{run.pk}", "newest": "a\0b"})
    assert re.findall(r'data-run="(\w+)"', answer.content.decode()) == [run.pk]
    assert "data-newer" not in answer.content.decode()
    assert not any("\0" in query["sql"] for query in captured.captured_queries)


def test_new_runs_are_counted_as_the_filters_say(browser: Client, owner: User) -> None:
    runs = sorted((made(owner, f"run {number}") for number in range(4)), key=lambda run: run.pk)
    assert 'data-newer="3"' in fragment(browser, newest=runs[0].pk)
    assert 'data-newer="0"' in fragment(browser, newest=runs[0].pk, query="&status=failed")
    assert 'data-newer="4"' in fragment(browser, newest="")


def test_a_list_that_found_nothing_knows_since_when_runs_are_new(browser: Client, run: Run) -> None:
    assert f'data-newest="{run.pk}"' in browser.get("/runs/?q=nothing").content.decode()


def test_a_page_that_keeps_itself_fresh_does_not_count_a_search_again(browser: Client, run: Run) -> None:
    assert "data-chips" in fragment(browser, run, query="&status=queued")
    assert "data-chips" not in fragment(browser, run, query="&q=Greeting")


def test_rows_of_others_are_not_given(person: Person, run: Run) -> None:
    browser = Client()
    browser.force_login(person("bob"))
    assert run.pk not in fragment(browser, run, newest="")
    assert 'data-newer="0"' in fragment(browser, run, newest="")
