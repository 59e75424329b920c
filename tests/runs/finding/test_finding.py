"""Each filter finds what it names, pages follow each other without a gap, and what was not looked at is told."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from runs import finding, library
from runs.columns import error_fields
from runs.finding import Asked, Count, window
from runs.health.signs import Sign, shown
from runs.ids import new_id
from runs.lifecycle import Move, move
from runs.making import make
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
SOURCE = "export default async function (input, ctx) { return input }"


def made(title: str, **fields: Any) -> Run:
    return start(SOURCE, title=title, **fields).run


def at(run: Run) -> Any:
    return Run.objects.filter(pk=run.pk)


def failed(run: Run, code: str, tool: str | None = None) -> None:
    assert move(at(run), Move.FAIL, **error_fields({"code": code, "message": "no", "tool": tool}))


def parked(run: Run, *kinds: str) -> None:
    move(at(run), Move.CLAIM, lease_until=timezone.now())
    parts = [
        {"kind": kind, "callSeq": n, "wakeAt": None, "match": {}, "label": None} for n, kind in enumerate(kinds, 1)
    ]
    assert move(at(run), Move.PARK, wait=parts, wake_at=timezone.now() + timedelta(hours=1))


def child_of(run: Run, title: str) -> Run:
    child = made(title)
    at(child).update(parent=run, root=run.root_id, depth=1)
    return child


def titles(user: Any, **asked: Any) -> list[str]:
    return [run.title for run in finding.find(user, Asked(**asked)).rows]


@pytest.fixture
def scene(owner: User) -> dict[str, Run]:
    runs = {
        "refused": made("Invoice 7", owner=owner, queue="background", key="order/7"),
        "lost": made("Invoice 8", key="order/8"),
        "nightly": made("Nightly", schedule="nights", origin="schedule"),
        "approval": made("Approval"),
    }
    failed(runs["refused"], "tool-error", "http.request")
    failed(runs["lost"], "timeout", "mail.send")
    parked(runs["nightly"], "timer")
    parked(runs["approval"], "timer", "wait")
    at(runs["lost"]).update(**shown(Sign.LATE | Sign.ORPHANS))
    library.save("greet", SOURCE)
    runs["old"] = library.start_script("greet", title="Old greeting").run
    library.save("greet", SOURCE + "\n")
    runs["new"] = library.start_script("greet").run
    runs["child"] = child_of(runs["new"], "Step of a greeting")
    at(runs["child"]).update(kind="agent")
    return runs


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"status": "failed"}, {"Invoice 7", "Invoice 8"}),
        ({"status": "waiting"}, {"Nightly", "Approval"}),
        ({"kind": "agent"}, {"Step of a greeting"}),
        ({"script": "greet"}, {"greet", "Old greeting"}),
        ({"script": "greet@1"}, {"Old greeting"}),
        ({"script": "greet@9"}, set()),
        ({"script": "nothing"}, set()),
        ({"waiting": "signal"}, {"Approval"}),
        ({"waiting": "timer"}, {"Nightly", "Approval"}),
        ({"waiting": "timer", "status": "failed"}, set()),
        ({"waiting": "timer", "status": "waiting"}, {"Nightly", "Approval"}),
        ({"code": "timeout"}, {"Invoice 8"}),
        ({"code": "timeout", "status": "succeeded"}, set()),
        ({"tool": "http.request"}, {"Invoice 7"}),
        ({"tool": "http.request", "code": "timeout"}, set()),
        ({"queue": "background"}, {"Invoice 7"}),
        ({"schedule": "nights"}, {"Nightly"}),
        ({"sign": "late"}, {"Invoice 8"}),
        ({"sign": "orphans", "status": "failed"}, {"Invoice 8"}),
        ({"sign": "unhandled"}, set()),
        ({"text": "invoice"}, {"Invoice 7", "Invoice 8"}),
        ({"text": "invoice", "tool": "mail.send"}, {"Invoice 8"}),
        ({"text": "order/"}, {"Invoice 7", "Invoice 8"}),
        ({"text": "rder/8"}, {"Invoice 8"}),
        ({"roots": True, "script": "greet"}, {"greet", "Old greeting"}),
        ({"roots": True, "kind": "agent"}, set()),
        ({"since": datetime(2100, 1, 1, tzinfo=UTC)}, set()),
        ({"until": datetime(2100, 1, 1, tzinfo=UTC), "status": "failed"}, {"Invoice 7", "Invoice 8"}),
        ({"until": datetime(2000, 1, 1, tzinfo=UTC)}, set()),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_filters(operator: User, scene: dict[str, Run], asked: dict[str, Any], expected: set[str]) -> None:
    assert set(titles(operator, **asked)) == expected
    counted = finding.counts(operator, Asked(**asked))
    if not asked.get("status"):
        assert sum(count.number for count in counted.values()) == len(expected)


def test_a_run_is_found_by_the_beginning_of_its_id_also_a_child_of_any_age(
    operator: User, scene: dict[str, Run]
) -> None:
    at(scene["child"]).update(title="Found")
    for text in (scene["child"].pk, scene["child"].pk[:14].upper()):
        assert "Found" in titles(operator, text=text, roots=True)


def test_who_may_not_see_all_runs_finds_his_own(owner: User, scene: dict[str, Run]) -> None:
    assert titles(owner) == ["Invoice 7"]
    assert titles(owner, text=scene["lost"].pk) == []
    assert titles(owner, text="order/") == ["Invoice 7"]
    assert titles(owner, owner=owner.pk + 1) == []
    assert [run.title for run in finding.again(owner, [scene["lost"].pk, scene["refused"].pk])] == ["Invoice 7"]
    assert finding.counts(owner, Asked())["failed"] == Count(1)
    assert titles(AnonymousUser()) == []


def test_what_means_something_to_sql_is_text(operator: User) -> None:
    made("100% sure_thing")
    made("1000 sure things")
    assert titles(operator, text="100%") == ["100% sure_thing"]
    assert titles(operator, text="e_t") == ["100% sure_thing"]


@pytest.mark.parametrize("asked", [Asked(), Asked(status="queued"), Asked(text="run"), Asked(queue="interactive")])
def test_pages_follow_each_other_without_a_gap(operator: User, asked: Asked) -> None:
    for number in range(7):
        made(f"run {number}")
    seen: list[str] = []
    before = ""
    for size in (3, 3, 1):
        page = finding.find(operator, asked, before=before, size=3)
        assert len(page.rows) == size
        seen += [run.title for run in page.rows]
        before = page.older
        assert bool(before) == (len(seen) < 7)
    assert seen == list(Run.objects.order_by("-pk").values_list("title", flat=True))


@pytest.fixture
def hay(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """A needle below nine other runs, and a window of four."""
    monkeypatch.setattr(window, "WINDOW", 4)
    names = ["needle", *(f"hay {number}" for number in range(1, 10))]
    return [make(new_id(1_700_000_000_000 + at), title=name) for at, name in enumerate(names)]


def test_a_search_that_has_not_looked_at_all_says_how_far_and_goes_on(operator: User, hay: list[Run]) -> None:
    page = finding.find(operator, Asked(text="needle"))
    assert (page.rows, page.older, page.searched_to) == ([], hay[5].pk, hay[5].created_at)
    batches = [finding.ids(operator, Asked(text="needle"))]
    while batches[-1][1]:
        batches.append(finding.ids(operator, Asked(text="needle"), before=batches[-1][1]))
    assert [pk for pks, _ in batches for pk in pks] == [hay[0].pk]
    assert len(batches) > 1


def test_the_filter_whose_runs_reach_back_furthest_leads(operator: User, hay: list[Run]) -> None:
    failed(hay[0], "rare")
    for run in hay[4:]:
        failed(run, "often")
    page = finding.find(operator, Asked(status="failed", code="rare", queue="interactive"))
    assert ([run.pk for run in page.rows], page.older) == ([hay[0].pk], "")


def test_a_key_is_found_by_its_beginning_however_old(operator: User, hay: list[Run]) -> None:
    at(hay[0]).update(idempotency_key="needles/1")
    page = finding.find(operator, Asked(text="needles/"))
    assert [run.pk for run in page.rows] == [hay[0].pk]
    rest = finding.find(operator, Asked(text="needles/"), before=page.older)
    assert rest.rows == [], "it is not told twice"


def test_counts_stop_and_say_so(operator: User, hay: list[Run], monkeypatch: pytest.MonkeyPatch) -> None:
    failed(hay[9], "often")
    assert finding.counts(operator, Asked())["queued"] == Count(9)
    assert finding.counts(operator, Asked(text="hay"))["queued"] == Count(4, more=True)
    monkeypatch.setattr("runs.finding.counting.COUNTED", 3)
    assert str(finding.counts(operator, Asked(roots=True))["queued"]) == "3+"
    assert finding.counts(operator, Asked())["failed"] == Count(1)
    for run in hay[:6]:
        failed(run, "often")
    assert finding.counts(operator, Asked(code="often"))["failed"] == Count(3, more=True)


def test_newer_runs_are_counted(operator: User, hay: list[Run]) -> None:
    assert finding.newer(operator, Asked(), hay[6].pk) == 3
    assert finding.newer(operator, Asked(status="failed"), hay[0].pk) == 0


def test_rows_are_given_again_in_the_order_of_the_page(operator: User, hay: list[Run]) -> None:
    pks = [hay[3].pk, hay[7].pk, "0" * 26, hay[1].pk]
    assert [run.pk for run in finding.again(operator, pks)] == [hay[3].pk, hay[7].pk, hay[1].pk]
