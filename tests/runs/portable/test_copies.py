"""A copy is only read: whoever moves, counts or claims runs passes it by, and a verb is refused by name."""

from pathlib import Path

import pytest
from files import elsewhere, exported, imported
from going import begun, go_on
from lives import CHILD

from journal import store
from runs import finding, vitals
from runs.cancelling import cancel
from runs.claiming import candidates
from runs.clock import tick
from runs.errors import NotPossible
from runs.lifecycle import MOVES, Move, Status, move
from runs.models import Message, Run
from runs.operations import fork, retry, rewind
from runs.signals import send
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
WAITS = "await ctx.call('note', {v: 1}); return await ctx.waitForEvent({signal: 'yes'}, {label: 'Sign-off'})"


def copy_of(folder: Path, run: Run, **how: bool) -> Run:
    elsewhere(folder, exported(run, **how))
    return Run.objects.select_related("journal", "source").get(pk=run.pk)


def test_no_move_starts_at_a_copy_and_none_leads_there() -> None:
    for name, (sources, target) in MOVES.items():
        assert Status.IMPORTED not in sources, name
        assert target is not Status.IMPORTED, name


@pytest.mark.parametrize("body", [WAITS, "await ctx.sleep(ctx.days(2))", "await ctx.call('once', {v: 'f'})"])
def test_every_move_passes_it_by(tmp_path: Path, body: str) -> None:
    run = copy_of(tmp_path, begun(body))
    for name in Move:
        assert move(Run.objects.filter(pk=run.pk), name) == 0
    assert Run.objects.get(pk=run.pk).status == "imported"


def test_a_copy_of_a_queued_run_is_not_claimed(tmp_path: Path) -> None:
    run = start("export default () => 1").run
    copy_of(tmp_path, run)
    assert candidates(10, None) == []
    assert go_on(run).status == "imported"


def test_the_clock_leaves_a_copy_whose_time_has_come_alone(tmp_path: Path) -> None:
    run = begun("await ctx.sleep(ctx.days(2))", budget={"wallSeconds": 1_000_000})
    Run.objects.filter(pk=run.pk).update(wake_at="2020-01-01T00:00:00Z", deadline_at="2020-01-01T00:00:00Z")
    run = copy_of(tmp_path, run)
    before = Run.objects.filter(pk=run.pk).values().get()
    tick()
    assert Run.objects.filter(pk=run.pk).values().get() == before
    assert (before["wake_at"], before["wait"], before["waits_on"]) == (None, None, "")


def test_its_verbs_are_refused_by_name(tmp_path: Path) -> None:
    run = copy_of(tmp_path, begun(WAITS))
    for verb in (lambda: cancel(run.pk), lambda: retry(run.pk), lambda: rewind(run.pk, 1)):
        with pytest.raises(NotPossible, match="is an imported copy, which is only read"):
            verb()
    sent = send(run.pk, "yes")
    assert sent.outcome == "refused"
    assert "imported copy" in sent.reason
    assert not Message.objects.exists()


def test_it_is_no_live_work_to_who_counts(tmp_path: Path) -> None:
    copy_of(tmp_path, begun(WAITS, concurrency_key="k"))
    assert vitals.oldest_waiting() == []
    assert [queue.ready.number for queue in vitals.queues()] == [0, 0]
    assert vitals.lateness().overdue.number == 0


def test_its_key_is_free_and_its_schedule_has_no_run_more(tmp_path: Path) -> None:
    run = begun("return 1", key="monday")
    Run.objects.filter(pk=run.pk).update(schedule="nightly")
    run = copy_of(tmp_path, run)
    assert (run.idempotency_key, run.schedule) == (None, None)
    assert start("export default () => 2", key="monday").created


def test_a_signal_that_a_copy_had_does_not_make_another_a_repeated_one(tmp_path: Path) -> None:
    run = begun(WAITS)
    send(run.pk, "no", {"a": 1}, id="mail/1")
    run = copy_of(tmp_path, run)
    kept = Message.objects.get()
    assert (kept.name, kept.payload, kept.dedup_id, kept.chain) == ("no", {"a": 1}, None, run.pk)


def test_a_fork_of_a_copy_is_an_ordinary_run(tmp_path: Path) -> None:
    run = copy_of(
        tmp_path, begun("const a = await ctx.call('note', {v: 1}); return [a, await ctx.call('once', {v: 'x'})]")
    )
    assert run.imported is not None
    assert run.imported["facts"]["status"] == "failed"
    done = fork(run.pk, 2, result="better")
    forked = go_on(Run.objects.get(pk=done.run_id))
    assert (forked.status, forked.output, forked.forked_from_id) == ("succeeded", [1, "better"], run.pk)


def test_a_fork_of_a_copy_of_a_tree_makes_its_own_children(tmp_path: Path) -> None:
    body = (
        f"const a = await ctx.delegate({{script: {CHILD!r}, input: 1}}); return [a, await ctx.call('note', {{v: 2}})]"
    )
    run = copy_of(tmp_path, begun(body), tree=True)
    assert Run.objects.count() == 2
    forked = go_on(Run.objects.get(pk=fork(run.pk, 1).run_id))
    assert forked.output == run.output
    assert set(Run.objects.filter(parent=run).values_list("status", flat=True)) == {"imported"}


def test_a_child_exported_alone_is_a_root_and_names_no_other_run(tmp_path: Path) -> None:
    root = begun(f"return await ctx.delegate({{script: {CHILD!r}, input: 1}})")
    child = Run.objects.get(parent=root)
    child = copy_of(tmp_path, child)
    assert (child.root_id, child.parent_id, child.depth, child.parent_call_seq) == (child.pk, None, 0, None)
    assert child.imported is not None
    assert child.imported["facts"]["parent"] == root.pk


def test_the_same_file_again_changes_nothing(tmp_path: Path) -> None:
    run = begun("return 1")
    data = exported(run)
    elsewhere(tmp_path, data)
    before = list(Run.objects.values())
    assert not imported(tmp_path, data).created
    assert list(Run.objects.values()) == before


def test_a_file_of_a_run_that_is_here_itself_is_refused_by_name(tmp_path: Path) -> None:
    run = begun("return 1")
    with pytest.raises(NotPossible, match=f"run {run.pk} is in this database itself"):
        imported(tmp_path, exported(run))
    assert Run.objects.get().status == "succeeded"


def test_another_file_of_the_same_run_is_refused_by_name(tmp_path: Path) -> None:
    run = begun("return {secret: 1}")
    other = exported(run, redact=["output.secret"])
    elsewhere(tmp_path, exported(run))
    with pytest.raises(NotPossible, match=f"a copy of run {run.pk} is here already, from another file"):
        imported(tmp_path, other)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    run = begun("return 1")
    made = elsewhere(tmp_path, exported(run), dry_run=True)
    assert (made.created, made.root) == (True, run.pk)
    assert not Run.objects.exists()


def test_a_copy_is_found_by_what_it_was_and_counted_as_what_it_is(tmp_path: Path, admin_user: object) -> None:
    copy_of(tmp_path, begun("await ctx.call('once', {v: 'f'})"))
    counts = finding.counts(admin_user, finding.Asked())  # type: ignore[arg-type]
    assert {name: count.number for name, count in counts.items() if count.number} == {"imported": 1}
    assert [run.status for run in finding.find(admin_user, finding.Asked(code="once")).rows] == ["imported"]  # type: ignore[arg-type]


def test_nobody_can_append_to_its_journal_by_a_claim(tmp_path: Path) -> None:
    run = copy_of(tmp_path, begun(WAITS))
    entries = store.read(run.pk)
    go_on(run)
    assert store.read(run.pk) == entries
