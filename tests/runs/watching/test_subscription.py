"""What a subscription is sent, and when: the tree first, then what changes, without a gap and nothing twice."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from trees import append, child, root
from web import Socket, Web

from journal.models import RunJournal
from runs import cancelling, queue, signals
from runs.held import HeldRun
from runs.host import Round
from runs.lifecycle import Move, move
from runs.models import Run
from runs.operations import retry
from runs.pruning.deleting import delete
from runs.watching import consumer, feed


@pytest.fixture
def ana(transactional_db: None) -> User:
    return User.objects.create_user("ana")


def test_it_gives_the_runs_of_the_tree_then_their_journals(web: Web, ana: User) -> None:
    run = root(ana, title="Orders")
    below = child(run, "Packing")
    append(run, 2)
    append(below, 1)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until_seq(below.pk, 1)
    names = [frame["_"] for frame in socket.frames]
    assert names == ["subscribed", "change", "change", "append", "append"]
    assert {frame["key"] for frame in socket.frames} == {f"runs/{run.pk}"}
    (change,), (of_child,) = socket.changes(run.pk), socket.changes(below.pk)
    assert (change["title"], change["status"], change["nextSeq"], change["parentId"]) == ("Orders", "queued", 3, None)
    assert change["words"].startswith("Queued")
    assert (of_child["title"], of_child["parentId"], of_child["depth"]) == ("Packing", run.pk, 1)
    assert (socket.seqs(run.pk), socket.seqs(below.pk)) == ([1, 2], [1])


def test_an_entry_has_its_fields_and_its_line(web: Web, ana: User) -> None:
    run = root(ana)
    append(run)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    (entry,) = socket.until("append")["entries"]
    assert {"seq": 1, "callSeq": 1, "kind": "log", "line": "info: line 1"}.items() <= entry.items()
    assert entry["body"]["message"] == "line 1"


def test_it_goes_on_after_what_the_client_has(web: Web, ana: User) -> None:
    run = root(ana)
    below = child(run)
    append(run, 5)
    append(below, 5)
    socket = web.open(ana)
    socket.subscribe(run.pk, afterSeq={run.pk: 3, below.pk: 5})
    socket.until_seq(run.pk, 5)
    append(below)
    socket.until_seq(below.pk, 6)
    assert (socket.seqs(run.pk), socket.seqs(below.pk)) == ([4, 5], [6])


def test_at_first_it_gives_only_the_newest_that_are_wanted(web: Web, ana: User) -> None:
    run = root(ana)
    append(run, 20)
    socket = web.open(ana)
    socket.subscribe(run.pk, last=3)
    socket.until_seq(run.pk, 20)
    append(run, 5)
    socket.until_seq(run.pk, 25)
    assert socket.seqs(run.pk) == list(range(18, 26))


def test_the_entries_of_some_runs_come_with_the_changes_of_all(web: Web, ana: User) -> None:
    run = root(ana)
    below = child(run)
    append(run, 3)
    socket = web.open(ana)
    socket.subscribe(run.pk, journals=[below.pk])
    append(below, 1)
    socket.until_seq(below.pk, 1)
    append(run, 1)
    append(below, 1)
    socket.until_seq(below.pk, 2)
    assert socket.seqs(run.pk) == []
    assert len(socket.changes(run.pk)) == 1


def test_what_happens_is_pushed(web: Web, ana: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    append(run)
    assert socket.until("append")["entries"][0]["seq"] == 1
    [held] = queue.claim("worker")
    assert socket.until("change")["run"]["status"] == "running"
    HeldRun(held).commit(Round(plan={"title": "P", "steps": [{"id": "a", "label": "A", "status": "running"}]}))
    assert socket.until("change")["run"]["plan"]["title"] == "P"
    signals.send(run.pk, "go")
    assert socket.until("change")["run"]["inbox"] == 1
    cancelling.cancel(run.pk)
    assert socket.until("change")["run"]["words"].startswith("Canceling since")
    queue.release({held.pk: held.fence})
    assert socket.until("change")["run"]["status"] == "queued"


def test_progress_alone_is_a_partial_append_and_a_newcomer_finds_it_in_the_change(web: Web, ana: User) -> None:
    run = root(ana)
    [held] = queue.claim("worker")
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    HeldRun(held).commit(Round(progress={"fraction": 0.5, "label": "half"}))
    partial = socket.until("appendPartial")
    assert (partial["runId"], partial["progress"]) == (run.pk, {"fraction": 0.5, "label": "half"})
    assert len(socket.changes(run.pk)) == 1
    late = web.open(ana)
    late.subscribe(run.pk)
    assert late.until("change")["run"]["progress"] == {"fraction": 0.5, "label": "half"}


def test_a_child_made_meanwhile_comes_as_a_change_before_its_entries(web: Web, ana: User) -> None:
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    below = child(run, "Late")
    append(below, 2)
    assert socket.until(lambda frame: frame.get("run", {}).get("id") == below.pk)["_"] == "change"
    assert socket.seqs(below.pk) == []
    socket.until_seq(below.pk, 2)
    assert socket.seqs(below.pk) == [1, 2]


def test_an_append_that_is_rolled_back_pushes_nothing(web: Web, ana: User) -> None:
    """C37."""
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    with transaction.atomic():
        append(run, 3, "never")
        move(Run.objects.filter(pk=run.pk), Move.FAIL, error_code="never")
        transaction.set_rollback(True)
    append(run, 1, "written")
    assert [entry["line"] for entry in socket.until("append")["entries"]] == ["info: written 1"]
    assert [run["status"] for run in socket.changes(run.pk)] == ["queued"]


def test_a_worker_that_falls_silent_is_told_although_nobody_writes_it(web: Web, ana: User) -> None:
    run = root(ana)
    queue.claim("worker")
    socket = web.open(ana)
    socket.subscribe(run.pk)
    assert socket.until("change")["run"]["words"].startswith("Running since")
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=10))
    assert "its worker has not answered" in socket.until("change")["run"]["words"]


def test_it_ends_when_it_is_asked_to_and_can_be_begun_again(web: Web, ana: User) -> None:
    run = root(ana)
    append(run, 2)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until_seq(run.pk, 2)
    socket.send({"_": "Unsubscribe", "key": f"runs/{run.pk}"})
    assert socket.until("unsubscribed")["key"] == f"runs/{run.pk}"
    append(run)
    socket.subscribe(run.pk, afterSeq=2)
    socket.until_seq(run.pk, 3)
    assert socket.seqs(run.pk) == [1, 2, 3]


def test_a_new_attempt_marks_what_it_leaves_behind_for_who_comes_later(web: Web, ana: User) -> None:
    run = root(ana)
    append(run, 3)
    move(Run.objects.filter(pk=run.pk), Move.FAIL, error={"code": "x", "message": "y"}, error_code="x")
    first = web.open(ana)
    first.subscribe(run.pk)
    first.until_seq(run.pk, 3)
    retry(run.pk)
    first.until(lambda frame: frame.get("run", {}).get("attempt") == 2)
    late = web.open(ana)
    late.subscribe(run.pk)
    late.until_seq(run.pk, 3)
    assert [superseded(socket)[:3] for socket in (first, late)] == [[None, None, None], [2, 2, 2]]


def superseded(socket: Socket) -> list[int | None]:
    return [entry["superseded"] for frame in socket.frames if frame["_"] == "append" for entry in frame["entries"]]


def test_a_damaged_entry_does_not_hide_the_others(web: Web, ana: User) -> None:
    run = root(ana)
    append(run, 3)
    RunJournal.objects.filter(run_id=run.journal_id, seq=2).update(entry=b"\xff\xff")
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until_seq(run.pk, 3)
    lines = [entry["line"] for frame in socket.frames if frame["_"] == "append" for entry in frame["entries"]]
    assert lines[0] == "info: line 1"
    assert "cannot be read" in lines[1]
    assert lines[2] == "info: line 3"


def test_one_that_is_too_slow_is_told_so_and_misses_nothing(
    web: Web, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "WINDOW_FRAMES", 4)
    run = root(ana)
    quick, slow = web.open(ana), web.open(ana)
    for socket in (quick, slow):
        socket.subscribe(run.pk)
        socket.until("change")
    with slow.stalled():
        for _ in range(12):
            last = append(run, 2)
            quick.until_seq(run.pk, last)
    slow.until_seq(run.pk, last)
    assert slow.seqs(run.pk) == quick.seqs(run.pk) == list(range(1, last + 1))
    assert "behind" in [frame["_"] for frame in slow.frames]
    assert "behind" not in [frame["_"] for frame in quick.frames]


def test_it_says_that_the_tree_was_deleted_and_ends(web: Web, ana: User) -> None:
    run = root(ana)
    child(run)
    kept = root(ana)
    socket = web.open(ana)
    for each in (run, kept):
        socket.subscribe(each.pk)
        socket.until(lambda frame, each=each: frame["_"] == "change" and frame["run"]["id"] == each.pk)
    Run.objects.filter(root=run).update(status="succeeded", finished_at=timezone.now())
    delete([run.pk], lambda tree: True)
    assert socket.until("deleted") == {"_": "deleted", "key": f"runs/{run.pk}", "runId": run.pk}
    socket.send({"_": "Unsubscribe", "key": f"runs/{run.pk}"})
    assert socket.until("error")["code"] == "not-subscribed"
    socket.subscribe(run.pk)
    assert socket.until("error")["code"] == "unknown-run"
    append(kept)
    assert socket.until("append")["runId"] == kept.pk


def test_a_tree_that_is_deleted_is_no_lost_permission(web: Web, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though permissions are looked at before the feed has looked."""
    monkeypatch.setattr(consumer, "GUARD_SECONDS", 0.01)
    for _ in range(5):
        run = root(ana)
        socket = web.open(ana)
        socket.subscribe(run.pk)
        socket.until("change")
        Run.objects.filter(root=run).update(status="succeeded", finished_at=timezone.now())
        delete([run.pk], lambda tree: True)
        assert socket.until(lambda frame: frame.get("_") != "change")["_"] == "deleted"
