"""Deleting runs that have ended: whole trees, in batches, and nothing that anybody still refers to."""

from collections.abc import Callable
from importlib import import_module

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from growing import SCRIPT, child, delegating, left, old, older_than, successor

from journal.models import Journal, JournalScript, RunJournal
from runs import audit, library, replayable
from runs.errors import NotPossible, UnknownRun
from runs.lifecycle import Status
from runs.models import Message, Run, Source
from runs.operations import fork, retry, rewind
from runs.pruning import Deleted, delete_tree, foresee, prune, walking, why_not
from runs.pruning.deleting import delete
from runs.starting import start

pytestmark = pytest.mark.django_db
lived = pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own
OTHER = "export default async () => 2"


def pruned(**asked: object) -> Deleted:
    """Everything older than five days, to the end."""
    total = Deleted()

    def told(done: Deleted) -> None:
        nonlocal total
        total += done

    assert prune(older_than(**asked), told=told)
    return total


def test_a_run_goes_with_its_journal_and_its_inbox_and_its_key_is_free_again() -> None:
    run = old(idempotency_key="monday")
    young = old(days=1)
    assert pruned() == Deleted(trees=1, runs=1, entries=1, sources=0)
    assert left() == {young.pk}
    for rows in (Journal.objects.all(), RunJournal.objects.all(), Message.objects.all()):
        assert set(rows.values_list("run_id", flat=True)) == {young.pk}
    again = start(SCRIPT, key="monday")
    assert again.created
    assert again.run.pk != run.pk


def test_a_tree_goes_whole_or_not_at_all() -> None:
    whole = old()
    below = child(child(whole), status="failed")
    successor(below, status="canceled")
    for status in ("queued", "running", "waiting"):
        child(old(), status=status)
        successor(old(), status=status)
        old(status=status)
    child(old(), days=2)  # its last end is too new
    kept = left() - set(Run.objects.filter(root=whole).values_list("pk", flat=True))
    assert pruned() == Deleted(trees=1, runs=4, entries=4, sources=0)
    assert left() == kept


def test_a_live_grandchild_below_ended_runs_keeps_all() -> None:
    child(child(old()), status="waiting")
    assert pruned() == Deleted()
    assert len(left()) == 3


def test_the_outcome_is_that_of_the_root_or_its_last_successor() -> None:
    failed, fine = old(status="failed"), old()
    child(fine, status="failed")
    continued = old()
    successor(continued, status="failed")
    keeping = older_than(statuses=frozenset({Status.SUCCEEDED, Status.CANCELED}))
    assert (foresee(keeping).trees, foresee(keeping).runs) == (1, 2)
    assert prune(keeping)
    assert set(Run.objects.values_list("root_id", flat=True)) == {failed.pk, continued.pk}
    assert prune(older_than(statuses=frozenset({Status.FAILED})))
    assert not left()


def test_a_fork_stays_and_says_in_its_journal_what_it_was_forked_from(tools: None) -> None:
    run = old(source="export default async (i, ctx) => ctx.now()")
    Run.objects.filter(pk=run.pk).update(status="succeeded")
    made = old(days=1, forked_from=run)
    assert pruned().runs == 1
    assert Run.objects.get(pk=made.pk).forked_from_id is None


@lived
def test_a_fork_of_a_deleted_run_goes_on_from_what_it_has_copied(tools: None) -> None:
    from going import begun, go_on

    body = f"const a = await ctx.delegate({{script: {OTHER!r}}}); return [a, await ctx.call('note', {{v: 1}})]"
    run = begun(body)
    made = fork(run.pk, 2).run_id
    assert delete([run.pk], lambda tree: True) == Deleted(trees=1, runs=2, entries=4, sources=0)
    ended = go_on(Run.objects.get(pk=made))
    assert ended.output == [2, 1]
    assert f"forked from call 2 of run {run.pk}" in str([entry.body for entry in replayable.read(made)])
    assert Source.objects.filter(text=OTHER).exists(), "the fork's journal names the script of a child that is gone"
    assert delete([made], lambda tree: True).sources == 2
    assert not Source.objects.exists()


def test_a_source_goes_with_the_last_that_needs_it() -> None:
    old(source=OTHER)
    young = old(days=1, source=OTHER)
    assert pruned().sources == 0
    Run.objects.filter(pk=young.pk).update(source=Source.keep(SCRIPT))
    delete([young.pk], lambda tree: True)
    assert list(Source.objects.values_list("text", flat=True)) == [OTHER]  # nobody asked about that one again
    old(source=OTHER)
    assert pruned().sources == 1


def test_a_source_of_the_library_stays() -> None:
    library.save("report", OTHER)
    old(source=OTHER)
    assert pruned() == Deleted(trees=1, runs=1, entries=1, sources=0)


def test_a_source_that_another_journal_names_stays_though_no_run_has_it() -> None:
    keeper = delegating(OTHER, days=1)
    Run.objects.filter(parent=keeper).update(source=Source.keep(SCRIPT))  # the child was mended
    old(source=OTHER)
    assert pruned().sources == 0
    assert [entry.body.get("script") for entry in replayable.read(keeper.journal_id)][-1] == OTHER
    delete([keeper.pk], lambda tree: True)
    assert not Source.objects.filter(text=OTHER).exists()
    assert not JournalScript.objects.exists()


def test_a_batch_takes_the_same_statements_however_many_runs_it_has() -> None:
    def statements(width: int) -> int:
        for _ in range(width):
            child(old())
        with CaptureQueriesContext(
            connection,
        ) as told:
            assert pruned().runs == 2 * width
        return len(told)

    assert statements(3) == statements(40) <= 18


def test_a_batch_is_no_larger_than_asked_for_unless_a_tree_is() -> None:
    for _ in range(5):
        old()
    large = old()
    for _ in range(4):
        child(large)
    sizes: list[int] = []
    assert prune(older_than(), batch=3, told=lambda done: sizes.append(done.runs))
    assert sizes == [3, 2, 5]


def test_a_limit_is_kept_and_a_tree_beyond_it_is_passed_over() -> None:
    large = old(days=20)
    for _ in range(3):
        child(large)
    small = [old() for _ in range(4)]
    assert prune(older_than(), most=3, batch=2)
    assert left() & {run.pk for run in small} == {small[3].pk}
    assert Run.objects.filter(root=large).count() == 4


def test_what_is_stopped_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "_LOOK", 3)
    for _ in range(10):
        old()
    stops = iter([False, False, True])
    assert not prune(older_than(), batch=2, stop=lambda: next(stops))
    assert len(left()) == 6
    assert prune(older_than(), batch=2)
    assert not left()


def test_a_batch_that_fails_changes_nothing() -> None:
    old(idempotency_key="a")

    def fail(_: object) -> None:
        raise RuntimeError("the power is cut")

    with pytest.raises(RuntimeError):
        prune(older_than(), also=fail)
    assert (Run.objects.count(), RunJournal.objects.count(), Message.objects.count()) == (1, 1, 1)


def test_what_has_moved_since_it_was_looked_at_stays() -> None:
    for change in (
        lambda run: Run.objects.filter(pk=run.pk).update(status="queued", finished_at=None),
        lambda run: child(run, status="queued"),
        lambda run: successor(run, status="waiting"),
    ):
        run = old()
        asked = older_than()
        (tree,) = walking.found(asked)
        change(run)
        assert delete([tree.root_id], asked.takes) == Deleted()
        assert Run.objects.filter(pk=run.pk).exists()


REPORTED = "runs.operations.rehearsing.report_of"
VERBS: dict[str, Callable[[str], object]] = {
    "retry": retry,
    "rewind": lambda pk: rewind(pk, 1, children="keep"),
    "fork": lambda pk: fork(pk, 1, children="keep"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "place", ["journal.store.read", "runs.operations.apart.stand", "runs.operations.rehearsing.report_of"]
)
def test_a_verb_whose_run_is_deleted_under_it_says_so(verb: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its journal is read, while it is replayed, and before anything is written."""
    run = old(status="failed")
    module, _, name = place.rpartition(".")
    real = getattr(import_module(module), name)

    def after_the_deletion(*given: object, **more: object) -> object:
        delete([run.pk], lambda tree: True)
        return real(*given, **more)

    monkeypatch.setattr(place, after_the_deletion)
    with pytest.raises(UnknownRun):
        VERBS[verb](run.pk)
    assert not left()


def test_one_tree_by_hand_whatever_its_age() -> None:
    run = old(days=0)
    below = child(run, days=0)
    live = child(old(days=0), status="waiting")
    why = why_not([run, below, live, live.parent])
    assert why[run.pk] == ""
    assert "with its root" in why[below.pk]
    assert "with its root" in why[live.pk]
    assert "not ended" in why[live.parent_id]
    told: list[int] = []
    assert delete_tree(run, lambda tree: told.append(tree.runs)).runs == 2
    assert told == [2]
    with pytest.raises(NotPossible, match="moved on"):
        delete_tree(live.parent, lambda tree: told.append(tree.runs))
    assert told == [2]


def test_the_log_of_deleted_runs_stays_and_has_one_record_of_a_batch() -> None:
    run = old()
    audit.record(None, run, "retry", "again")
    assert prune(older_than(), also=lambda trees: audit.record_pruned(trees, "spring", before="then"))
    retried, gone = LogEntry.objects.order_by("pk")
    assert retried.object_id == run.pk
    assert (gone.is_deletion(), gone.object_repr) == (True, "1 runs in 1 trees")
    assert gone.change_message.startswith("prune: spring\n")
    assert run.pk in gone.change_message
