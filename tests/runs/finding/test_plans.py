"""No list reads the table: each of its queries is answered by an index, in the order of the index."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from plans import asked as asking
from plans import plan, scans, sorts

from runs import clock, finding, queue
from runs.codes import Code
from runs.finding import Asked, window
from runs.models import Run
from runs.seeding import plan as planned
from runs.seeding import seed

PAYLOADS = re.compile(r'"runs_run"\."(input|output|error|plan|progress|budget)"|"runs_source"\."text"')
LISTS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"roots": True}, "run_root_newest"),
    ({"status": "failed"}, "run_status_newest"),
    ({"status": "failed", "roots": True}, "run_root_status"),
    ({"code": "timeout"}, "run_code_newest"),
    ({"code": "timeout", "status": "failed"}, "run_code_newest"),
    ({"tool": "http.request"}, "run_tool_newest"),
    ({"script": "seed-invoice"}, "run_script_newest"),
    ({"script": "seed-invoice@1"}, "run_script_newest"),
    ({"schedule": "seed-north"}, "run_schedule_newest"),
    ({"waiting": "signal"}, "run_waits_newest"),
    ({"sign": "late"}, "run_signs_newest"),
    ({"owner": 1}, "run_owner_newest"),
    ({"owner": 1, "roots": True, "status": "failed"}, "run_root_owner_status"),
    ({"queue": "background"}, ""),
    ({"kind": "agent"}, ""),
    ({"text": "Invoice"}, ""),
    ({"text": "Invoice", "status": "failed", "roots": True, "queue": "background"}, "run_root_status"),
]


@pytest.fixture
def many(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "WINDOW", 40)
    seed(planned(400))


def test_every_query_of_a_list_is_answered_by_an_index(many: None, operator: User) -> None:
    for wanted, index in LISTS:
        with asking() as queries:
            page = finding.find(operator, Asked(**wanted), size=10)
            finding.find(operator, Asked(**wanted), before=page.older or "z", size=10)
            finding.counts(operator, Asked(**wanted))
            finding.newer(operator, Asked(**wanted), "0")
            finding.again(operator, [run.pk for run in page.rows])
        plans = [plan(sql, params) for sql, params in queries if "runs_run" in sql]
        assert plans, wanted
        for told in plans:
            assert not scans(told), (wanted, told)
            assert "waiting" in wanted or not sorts(told), (wanted, told)
        if connection.vendor == "sqlite":  # PostgreSQL knows how few the rows of a test are, and takes any index
            assert any(index in told for told in plans), (wanted, plans)
        assert not [sql for sql, _ in queries if PAYLOADS.search(sql)], wanted


def test_a_list_costs_the_same_queries_whatever_is_in_it(db: None, operator: User) -> None:
    wanted = Asked(text="Invoice", status="failed", code="timeout")
    with asking() as few:
        finding.find(operator, wanted)
        finding.counts(operator, wanted)
    seed(planned(200))
    with asking() as many:
        finding.find(operator, wanted)
        finding.counts(operator, wanted)
    assert len(many) <= len(few) + 1


def test_the_error_codes_that_there_are_are_probed_for_and_not_read(many: None, operator: User) -> None:
    with asking() as queries:
        found = finding.codes(operator)
    assert found == sorted(set(Run.objects.exclude(error_code="").values_list("error_code", flat=True)))
    [(sql, params)] = queries
    told = plan(sql, params)
    assert not scans(told), told
    assert "run_code_newest" in told


def test_who_sees_some_runs_alone_is_told_the_codes_of_the_platform(many: None, owner: User) -> None:
    Run.objects.filter(error_code="timeout").update(error_code="of-a-tool")
    assert finding.codes(owner) == sorted(Code)


def test_the_clock_and_the_claims_have_indexes_of_their_own(many: None) -> None:
    """However many runs there are: those of the lists must not be taken for better ones."""
    with asking() as queries:
        clock.tick()
        queue.claim("w")
        queue.runnable()
    plans = [plan(sql, params) for sql, params in queries if "runs_run" in sql]
    used = {name for told in plans for name in re.findall(r"run_[a-z_]+", told)} - {"runs_run"}
    assert {"run_waking", "run_leased", "run_deadline", "run_queued"} <= used
    assert not {name for name in used if name.endswith(("_newest", "_status"))}, plans
