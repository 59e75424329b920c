"""verify: what is there replays; what was changed behind its back is found, with call, key and line."""

from pathlib import Path
from typing import Any

import pytest
from files import elsewhere, exported
from going import begun, executed
from lives import CHILD, KINDS, lives

from journal import codec
from journal.models import RunJournal
from runs.models import Run, Source
from runs.operations.verifying import AGREES, DIVERGED, SKIPPED, ids, verify
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
TWO = "const a = await ctx.call('note', {v: 1});\nconst b = await ctx.call('note', {v: 2});\nreturn [a, b]"


def with_source(run: Run, body: str) -> Run:
    text = f"export default async function (input, ctx) {{\n{body}\n}}\n"
    Run.objects.filter(pk=run.pk).update(source=Source.keep(text))
    return run


def outcome(run: Run) -> Any:
    found = verify(run.pk)
    assert found is not None
    return found


def test_every_kind_of_life_agrees_and_nothing_is_executed_or_written() -> None:
    runs = list(lives(len(KINDS)))
    executed.clear()
    before = (list(Run.objects.order_by("pk").values()), RunJournal.objects.count())
    for kind, root in runs:
        for run in Run.objects.filter(root=root.root_id):
            found = outcome(run)
            assert found.outcome == AGREES, (kind, found)
    assert executed == []
    assert (list(Run.objects.order_by("pk").values()), RunJournal.objects.count()) == before


def test_a_run_that_has_not_begun_agrees() -> None:
    assert outcome(start("export default () => 1").run).outcome == AGREES


def test_where_the_script_asks_for_another_call_its_call_key_and_line_are_told() -> None:
    run = with_source(begun(TWO), TWO.replace("{v: 2}", "{v: 3}"))
    found = outcome(run)
    assert (found.outcome, found.call_seq, found.line) == (DIVERGED, 2, 3)
    assert found.key == 'tool|"note"|{"v":2}'
    assert "the journal has call 2" in found.message


def test_a_script_that_asks_for_more_than_it_did_is_found() -> None:
    found = outcome(with_source(begun(TWO), TWO.replace("return", "await ctx.call('note', {v: 'more'});\nreturn")))
    assert (found.outcome, found.call_seq, found.line) == (DIVERGED, 3, 4)
    assert "does not have" in found.message


def test_another_output_is_found() -> None:
    found = outcome(with_source(begun(TWO), TWO.replace("[a, b]", "[b, a]")))
    assert (found.outcome, found.message) == (DIVERGED, "the replay returns another value than the run's output")


def test_a_script_that_ends_where_it_waited_is_found() -> None:
    run = begun("await ctx.call('note', {v: 1}); await ctx.waitForEvent({}); return 1")
    assert outcome(run).outcome == AGREES
    found = outcome(with_source(run, "await ctx.call('note', {v: 1}); return 1"))
    assert found.outcome == DIVERGED


def test_another_failure_is_found() -> None:
    run = begun("await ctx.call('note', {v: 1}); throw new Error('x')")
    found = outcome(with_source(run, "await ctx.call('note', {v: 1}); return 7"))
    assert "the run is failed, and the replay ends: succeeded" in found.message


def test_a_script_that_computes_for_ever_is_given_up() -> None:
    found = outcome(with_source(begun(TWO), "for (;;);"))
    assert found.outcome == DIVERGED
    assert "CPU" in found.message


def test_an_entry_that_cannot_be_decoded_is_told_with_its_seq() -> None:
    run = begun(TWO)
    RunJournal.objects.filter(run_id=run.pk, seq=2).update(entry=b"\xff")
    assert "entry 2 of run" in outcome(run).message


def test_a_changed_entry_is_found() -> None:
    run = begun(TWO)
    row = RunJournal.objects.get(run_id=run.pk, seq=1)
    body = codec.decode(row.entry)
    RunJournal.objects.filter(run_id=run.pk, seq=1).update(entry=codec.encode(body | {"input": {"v": 9}}))
    assert (outcome(run).outcome, outcome(run).line) == (DIVERGED, 2)


def test_a_copy_agrees_and_a_redacted_one_is_skipped(tmp_path: Path) -> None:
    run = begun(f"await ctx.delegate({{script: {CHILD!r}, input: 1}}); await ctx.waitForEvent({{}})")
    elsewhere(tmp_path, exported(run, tree=True))
    for copy in Run.objects.all():
        assert outcome(copy).outcome == AGREES
    run = begun(TWO)
    elsewhere(tmp_path, exported(run, redact=["calls.*.input"]))
    assert outcome(run).outcome == SKIPPED


def test_ids_come_in_order_and_go_on_behind_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from runs.operations import verifying

    monkeypatch.setattr(verifying, "PAGE", 2)
    runs = [begun(body) for body in ("return 1", "await ctx.waitForEvent({})", "return 2")]
    runs += [start("export default () => 1").run for _ in range(4)]
    pks = sorted(run.pk for run in runs)
    live = sorted(run.pk for run in runs if not run.is_terminal)
    assert list(ids(live=False)) == pks
    assert list(ids(live=True)) == live
    assert list(ids(live[1], live=True)) == live[2:]


def test_no_run_of_that_id_is_nothing() -> None:
    assert verify("0" * 26) is None
