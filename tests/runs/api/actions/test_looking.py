"""GetRun and ListRuns: what is there, of whom it may be seen, in pages that neither skip nor repeat."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asking import ECHO, done, failed, refused, waiting
from commanding import command
from going import begun

from runs import library
from runs.api.caller import Caller
from runs.ids import new_id
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_is_told_as_showrun_tells_it(owner: Caller) -> None:
    run = waiting(owner, title="Approval")
    assert done(owner, "GetRun", runId=run.pk)["run"] == command("showrun", run.pk, "--json").json


def test_a_failed_run_tells_its_error(owner: Caller) -> None:
    said = done(owner, "GetRun", runId=failed(owner).pk)["run"]
    assert (said["status"], said["error"]["callSeq"], said["error"]["tool"]) == ("failed", 2, "once")


@pytest.mark.parametrize("run_id", ["", "x", "\0" * 26, "é" * 26, "0" * 26, "0" * 5000, "../etc/passwd"])
def test_there_is_no_run_of_any_other_id(owner: Caller, run_id: str) -> None:
    assert refused(owner, "GetRun", 404, runId=run_id).code == "unknown-run"


def test_a_run_of_somebody_else_is_as_one_that_is_not_there(owner: Caller, caller: Callable[..., Caller]) -> None:
    foreign, none = start(ECHO, owner=caller("bob").user).run.pk, new_id()
    one, other = (refused(owner, "GetRun", 404, runId=run_id) for run_id in (foreign, none))
    assert one.message.replace(foreign, none) == other.message
    assert (one.code, one.details) == (other.code, other.details)
    assert done(caller("vic", "view"), "GetRun", runId=foreign)["run"]["owner"] == "bob"


def test_the_list_has_the_newest_first_and_the_own_alone(owner: Caller, caller: Callable[..., Caller]) -> None:
    mine = [start(ECHO, owner=owner.user, title=f"{n}").run.pk for n in range(3)]
    start(ECHO, owner=caller("bob").user)
    said = done(owner, "ListRuns")
    assert [run["id"] for run in said["runs"]] == mine[::-1]
    assert "next" not in said
    assert len(done(caller("vic", "view"), "ListRuns")["runs"]) == 4


def test_pages_neither_skip_nor_repeat_while_runs_are_started(owner: Caller) -> None:
    wanted = [start(ECHO, owner=owner.user).run.pk for _ in range(23)][::-1]
    seen: list[str] = []
    page: dict[str, Any] = {"next": None}
    while "next" in page:
        page = done(owner, "ListRuns", limit=5, before=page["next"])
        seen += [run["id"] for run in page["runs"]]
        start(ECHO, owner=owner.user)
    assert seen == wanted


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"status": "failed"}, ["fails"]),
        ({"status": "waiting", "waitsOn": "signal"}, ["waits"]),
        ({"waitsOn": "timer"}, []),
        ({"errorCode": "once"}, ["fails"]),
        ({"tool": "once"}, ["fails"]),
        ({"script": "report"}, ["report"]),
        ({"script": "report@1"}, ["report"]),
        ({"script": "report@2"}, []),
        ({"kind": "agent"}, []),
        ({"queue": "background"}, ["later"]),
        ({"schedule": "nightly"}, []),
        ({"search": "key 7"}, ["later"]),
        ({"search": "REPO"}, ["report"]),
        ({"roots": True, "kind": "workflow", "status": "queued"}, ["later", "report"]),
        ({"since": "2020-01-01T00:00:00Z", "until": "2021-01-01T00:00:00+02:00"}, []),
        ({"since": "0001-01-01T00:00:00Z", "status": "failed"}, ["fails"]),
        ({"until": "0001-01-01T00:00:00Z"}, []),
        ({"until": "9999-12-31T23:59:59Z", "status": "failed"}, ["fails"]),
    ],
)
def test_filters(owner: Caller, filters: dict[str, Any], found: list[str]) -> None:
    waiting(owner, title="waits")
    failed(owner, title="fails")
    library.save("report", ECHO)
    library.start_script("report", owner=owner.user)
    start(ECHO, owner=owner.user, title="later", queue="background", key="my key 7")
    assert [run["title"] for run in done(owner, "ListRuns", **filters)["runs"]] == found


def test_since_and_until_go_by_the_creation(owner: Caller) -> None:
    run = start(ECHO, owner=owner.user).run
    hour = timedelta(hours=1)
    before, after = (run.created_at - hour).isoformat(), (run.created_at + hour).isoformat()
    assert [len(done(owner, "ListRuns", since=at)["runs"]) for at in (before, after)] == [1, 0]
    assert [len(done(owner, "ListRuns", until=at)["runs"]) for at in (before, after)] == [0, 1]


def test_a_row_tells_what_a_list_needs(owner: Caller) -> None:
    run = failed(owner, title="fails", key="k")
    (row,) = done(owner, "ListRuns")["runs"]
    assert (row["id"], row["errorCode"], row["failedTool"], row["key"]) == (run.pk, "once", "once", "k")
    assert (row["owner"], row["root"], row["parent"]) == ("ada", run.pk, None)


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"status": "lost"}, "queued"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"limit": "5"}, "limit"),
        ({"before": "x"}, "before"),
        ({"before": "\0" * 26}, "before"),
        ({"since": 1_700_000_000}, "ISO 8601"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-01-01T00:00:00"}, "since"),
        ({"script": "report@0"}, "script"),
        ({"search": "  "}, "search"),
        ({"roots": 1}, "roots"),
        ({"sort": "title"}, "sort"),
    ],
)
def test_a_filter_that_means_nothing_is_refused_by_its_name(owner: Caller, filters: dict[str, Any], words: str) -> None:
    assert words in refused(owner, "ListRuns", 422, **filters).message


def test_a_nul_character_finds_nothing_and_breaks_nothing(owner: Caller) -> None:
    for field in ("search", "errorCode", "tool", "schedule"):
        assert refused(owner, "ListRuns", 422, **{field: "a\0b"}).code == "invalid-input"


def test_children_are_listed_with_their_root(owner: Caller) -> None:
    source = "export default async () => 1"
    run = begun(f"return ctx.delegate({{script: '{source}', title: 'child'}})", owner=owner.user)
    child, parent = done(owner, "ListRuns")["runs"]
    assert (child["parent"], child["root"], parent["id"]) == (run.pk, run.pk, run.pk)
    assert Run.objects.count() == 2
    assert [row["id"] for row in done(owner, "ListRuns", roots=True)["runs"]] == [run.pk]
