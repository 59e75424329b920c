"""Ending a run from outside of its host."""

import pytest

from journal import bodies
from journal.entries import Entry
from runs import ending, queue
from runs.codes import Code
from runs.columns import CODE_MAX
from runs.held import HeldRun
from runs.host import Failed, Round
from runs.host.failure import run_error
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
PLAN = {
    "title": None,
    "steps": [{"id": "a", "label": "A", "status": "running"}, {"id": "b", "label": "B", "status": "done"}],
}


@pytest.fixture
def held() -> Run:
    start("export default async (input, ctx) => {\n  await ctx.call('echo')\n}")
    return queue.claim("w")[0]


def test_the_error_names_the_call_that_was_out_and_no_step_stays_running(held: Run) -> None:
    call = Entry.of(1, 0, bodies.call(1, "echo", None, 2, None))
    HeldRun(held).commit(Round([call], plan=PLAN))
    assert ending.fail(Run.objects.filter(pk=held.pk), held.pk, Code.INTERRUPTED, "it happened")
    run = Run.objects.get()
    assert run.error is not None
    assert (run.status, run.error_code) == ("failed", "interrupted")
    assert (run.error["line"], run.error["tool"], run.error["callSeq"]) == (2, "echo", 1)
    assert "> 2 |" in run.error["excerpt"]
    assert "it happened" in run.error["message"]
    assert [step["status"] for step in run.plan["steps"]] == ["failed", "done"]


def test_a_run_that_is_no_longer_among_them_is_left_alone(held: Run) -> None:
    assert not ending.fail(Run.objects.filter(pk=held.pk, fence=9), held.pk, Code.INTERRUPTED, "x")
    assert Run.objects.get().status == "running"


@pytest.mark.parametrize("code", ["x" * 100, "a\x00b", "\ud800", "two words", ""])
def test_any_code_that_a_script_makes_up_fits_its_column(held: Run, code: str) -> None:
    HeldRun(held).commit(Round(ending=Failed(run_error(code, "m", ""))))
    run = Run.objects.get()
    assert run.status == "failed"
    assert run.error is not None
    assert run.error["code"] == code
    assert len(run.error_code) <= CODE_MAX
