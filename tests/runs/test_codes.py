"""The advice beside an error: the commands that it names are there, and what it promises works."""

import re

import pytest
from django.core.management import get_commands, load_command_class
from django.test import override_settings
from django.utils import timezone

from runs import clock, queue
from runs.cancelling import cancel
from runs.codes import Code
from runs.models import Run
from runs.operations import fork, retry, rewind
from runs.starting import start
from runs.workers.resident import Resident


@pytest.mark.parametrize("code", Code)
def test_the_commands_and_options_that_an_advice_names_are_there(code: Code) -> None:
    for name, option in re.findall(r"\b([a-z]+run|migrate|listtools)\b(?: (--[a-z]+))?(?=[\s).;])", code.help):
        if name == "run":
            continue
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        assert not option or option in parser.format_help()


def advanced(run: Run) -> Run:
    (held,) = queue.claim("here", only=run.pk)
    Resident(held).advance()
    return Run.objects.get(pk=run.pk)


def failed(source: str, code: Code, **limits: object) -> Run:
    with override_settings(DAYBOOK=limits):
        run = advanced(start(source).run)
    assert run.error_code == code, run.error
    assert run.error is not None
    assert code.help in run.error["message"] or code is Code.WORKFLOW_ERROR
    return run


LOOP = "export default async (i, ctx) => { for (let n = 0; n < 100; n++) await ctx.sleep(1); }"
FOUR = LOOP.replace("100", "4").replace("; }", "; return 'four' }")


@pytest.mark.django_db(transaction=True)
def test_a_fork_goes_on_where_the_journal_was_full() -> None:
    run = failed(LOOP, Code.JOURNAL_CAP, journal_max_entries=20)
    with override_settings(DAYBOOK={"journal_max_entries": 20}):
        assert advanced(Run.objects.get(pk=fork(run.pk, 3, source=FOUR).run_id)).output == "four"


@pytest.mark.django_db(transaction=True)
def test_a_fork_has_a_cpu_budget_of_its_own() -> None:
    body = "await ctx.sleep(1); let n = 0; while (n < 3e6) n++; await ctx.sleep(1); return n"
    burn = f"export default async (i, ctx) => {{ {body} }}"
    run = failed(burn, Code.CPU_EXHAUSTED, cpu_ms=20)
    assert run.journal.cpu_ms > 20
    made = fork(run.pk, 1, source=burn.replace("3e6", "3")).run_id
    with override_settings(DAYBOOK={"cpu_ms": 20_000}):
        assert advanced(Run.objects.get(pk=made)).output == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("throw new Error('x')", Code.WORKFLOW_ERROR),
        ("await new Promise(() => {})", Code.DEADLOCK),
        ("const f = () => f() + 1; f()", Code.STACK_OVERFLOW),
    ],
)
def test_a_retry_with_the_mended_script_goes_on_and_does_nothing_twice(body: str, code: Code) -> None:
    source = "export default async (i, ctx) => { const at = await ctx.now(); %s; return at }"
    run = failed(source % body, code)
    before = [entry.seq for entry in run.journal.entries.filter(kind="now")]
    retry(run.pk, source=source % "")
    assert advanced(run).status == "succeeded"
    assert [entry.seq for entry in run.journal.entries.filter(kind="now")] == before


@pytest.mark.django_db(transaction=True)
def test_a_retry_gives_a_run_that_was_too_old_its_time_again() -> None:
    run = advanced(start("export default async (i, ctx) => { await ctx.waitForEvent({}) }").run)
    Run.objects.filter(pk=run.pk).update(deadline_at=timezone.now())
    clock.tick(dead_workers=False)
    assert Run.objects.get(pk=run.pk).error_code == Code.WALL_TIMEOUT
    retry(run.pk)
    assert advanced(run).status == "waiting"


@pytest.mark.django_db(transaction=True)
def test_a_canceled_run_can_be_rewound_and_forked() -> None:
    run = advanced(start("export default async (i, ctx) => { await ctx.waitForEvent({}) }").run)
    cancel(run.pk)
    assert advanced(Run.objects.get(pk=fork(run.pk, 1).run_id)).status == "waiting"
    rewind(run.pk, 1)
    assert advanced(run).status == "waiting"
