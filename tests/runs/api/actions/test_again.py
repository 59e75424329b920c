"""RetryRun, ForkRun and DryReplay: as the commands do them, with what each takes besides."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import ECHO, FAILS, WAITS, done, failed, refused, told, waiting
from driving import script
from going import begun, executed, go_on

from journal import store
from journal.models import RunJournal
from runs import audit
from runs.access import Verb
from runs.api.caller import Caller
from runs.api.dispatch import answer
from runs.api.roles import Role
from runs.ids import new_id
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
CHILD = f"return ctx.delegate({{script: {script(WAITS)!r}}})"


def test_a_retry_executes_the_failing_call_again(owner: Caller) -> None:
    run = failed(owner)
    status, said = told(owner, "RetryRun", runId=run.pk, reason="the bank is back")
    assert (status, said["verb"], said["id"], said["attempt"]) == (200, "retry", run.pk, 2)
    assert [[call["callSeq"] for call in said[name]] for name in ("reused", "new", "orphans")] == [[1], [2], []]
    assert go_on(run).output == "b well"
    assert executed == [1, "b", "b"]
    (deed,) = audit.deeds(run)
    assert (deed.verb, deed.reason, deed.facts) == ("retry", "the bank is back", {"via": owner.via, "attempt": 2})


def test_a_rewind_goes_back_to_its_call(owner: Caller) -> None:
    run = failed(owner)
    said = done(owner, "RetryRun", runId=run.pk, rewindTo=1)
    assert (said["verb"], [call["callSeq"] for call in said["orphans"]]) == ("rewind", [1, 2])
    go_on(run)
    assert executed == [1, "b", 1, "b"]
    assert audit.deeds(run)[0].facts == {"via": owner.via, "attempt": 2, "call": 1}


def test_a_mended_script_goes_on(owner: Caller) -> None:
    run = failed(owner)
    said = done(owner, "RetryRun", runId=run.pk, source=script("return ctx.call('note', {v: 1})"))
    assert said["stands"] == {"settled": True, "output": 1}
    assert audit.deeds(run)[0].facts["edited"] is True


def test_a_fork_is_a_run_of_its_own(owner: Caller) -> None:
    run = failed(owner)
    status, said = told(owner, "ForkRun", runId=run.pk, call=2, result="paid", key="fork", reason="to try")
    fork = go_on(Run.objects.get(pk=said["id"]))
    assert (status, said["created"], fork.output, fork.forked_from_id) == (201, True, "paid", run.pk)
    assert (fork.owner, fork.idempotency_key) == (owner.user, "fork")
    assert audit.deeds(run)[0].facts == {"via": owner.via, "call": 2, "fork": fork.pk}
    assert audit.deeds(fork)[0].facts == {"via": owner.via, "call": 2, "of": run.pk}
    again, repeated = told(owner, "ForkRun", runId=run.pk, call=2, key="fork")
    assert (again, repeated["created"], repeated["id"]) == (200, False, fork.pk)
    assert len(audit.deeds(run)) == 1


def test_null_is_a_result_too(owner: Caller) -> None:
    run = failed(owner)
    assert go_on(Run.objects.get(pk=done(owner, "ForkRun", runId=run.pk, call=2, result=None)["id"])).output is None
    assert go_on(Run.objects.get(pk=done(owner, "ForkRun", runId=run.pk, call=2)["id"])).output == "b well"


def test_a_fork_under_the_key_of_somebody_else_tells_nothing_of_the_run(
    owner: Caller, caller: Callable[..., Caller]
) -> None:
    foreign = start(ECHO, owner=caller("bob").user, key="k").run
    error = refused(owner, "ForkRun", 409, runId=failed(owner).pk, call=2, key="k")
    assert foreign.pk not in error.message


@pytest.mark.parametrize(
    ("fields", "new"),
    [
        ({"verb": "retry"}, [2]),
        ({"verb": "retry", "call": 2}, [2]),
        ({"verb": "rewind", "call": 1}, [3]),
        ({"verb": "fork", "call": 2}, [2]),
        ({"verb": "fork", "call": 2, "result": None}, []),
        ({"verb": "retry", "source": script(FAILS + "\n//")}, [2]),
    ],
)
def test_a_dry_replay_tells_and_changes_nothing(owner: Caller, fields: dict[str, Any], new: list[int]) -> None:
    run = failed(owner)
    before = everything()
    said = done(owner, "DryReplay", runId=run.pk, **fields)
    assert (said["verb"], said["runId"]) == (fields["verb"], run.pk)
    assert [call["callSeq"] for call in said["new"]] == new
    assert everything() == before
    assert len(executed) == 2


def everything() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Run, RunJournal)]


def test_live_children_have_to_be_decided_about(owner: Caller) -> None:
    run = begun(CHILD, owner=owner.user)
    child = Run.objects.get(parent=run)
    error = refused(owner, "RetryRun", 409, runId=run.pk, rewindTo=1)
    assert (error.code, child.pk in error.message) == ("not-possible", True)
    assert done(owner, "RetryRun", runId=run.pk, rewindTo=1, children="cancel")["liveChildren"] == [child.pk]
    child.refresh_from_db()
    assert child.status == "canceled"


def test_canceling_children_takes_the_permission(owner: Caller, caller: Callable[..., Caller]) -> None:
    run = begun(CHILD, owner=owner.user)
    bob = caller("bob", "view", "retry", "fork")
    for name, fields in (("RetryRun", {"rewindTo": 1}), ("ForkRun", {"call": 1})):
        error = refused(bob, name, 403, runId=run.pk, children="cancel", **fields)
        assert "runs.cancel_run" in error.message
    assert Run.objects.get(parent=run).status == "waiting"


@pytest.mark.parametrize(("name", "more"), [("RetryRun", {}), ("ForkRun", {"call": 2})])
def test_an_edited_script_takes_an_owner_and_the_permission_to_start(
    caller: Callable[..., Caller], name: str, more: dict[str, Any]
) -> None:
    ada = caller("ada", "start", role=Role.OPERATOR)
    run = failed(ada)
    error = refused(ada, name, 403, runId=run.pk, source=ECHO, **more)
    assert (error.code, "owner" in error.message) == ("role", True)
    bob = caller("bob", "view", "retry", "fork")
    assert "runs.start_run" in refused(bob, name, 403, runId=run.pk, source=ECHO, **more).message
    assert (Run.objects.count(), Run.objects.get().attempt) == (1, 1)


def test_a_dry_replay_of_an_edited_script_takes_the_permission_to_start(caller: Callable[..., Caller]) -> None:
    run = failed(caller("ada"))
    bob = caller("bob", "view", "retry", role=Role.OPERATOR)
    assert refused(bob, "DryReplay", 403, runId=run.pk, verb="retry", source=ECHO).code == "forbidden"
    assert done(bob, "DryReplay", runId=run.pk, verb="retry")["attempt"] == 2
    assert "fork_run" in refused(bob, "DryReplay", 403, runId=run.pk, verb="fork", call=1).message


@pytest.mark.parametrize("name", ["RetryRun", "ForkRun"])
def test_without_its_note_nothing_is_done(owner: Caller, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    run = failed(owner)
    before = everything()
    monkeypatch.setattr("runs.audit.record_all", fail)
    with pytest.raises(RuntimeError):
        answer(owner, name, {"runId": run.pk} | ({"call": 2} if name == "ForkRun" else {}))
    assert everything() == before


@pytest.mark.parametrize(
    ("name", "fields", "status", "words"),
    [
        ("RetryRun", {"call": 1}, 422, "has not failed"),
        ("RetryRun", {"rewindTo": 99}, 422, "no call 99"),
        ("RetryRun", {"call": 2, "rewindTo": 1}, 422, "rewindTo"),
        ("RetryRun", {"call": 0}, 422, "call"),
        ("RetryRun", {"call": 2**31}, 422, "call"),
        ("RetryRun", {"children": "drop"}, 422, "keep"),
        ("RetryRun", {"source": "export default 1 +"}, 422, "line 1"),
        ("RetryRun", {"reason": "a\0b"}, 422, "reason"),
        ("ForkRun", {}, 422, "call is required"),
        ("ForkRun", {"call": 99}, 422, "no call 99"),
        ("ForkRun", {"call": 2, "result": 2**60}, 422, "2^53"),
        ("ForkRun", {"call": 2, "key": ""}, 422, "key"),
        ("DryReplay", {"verb": "rewind"}, 422, "call is needed: the callSeq that the rewind begins at"),
        ("DryReplay", {"verb": "fork"}, 422, "call is needed"),
        ("DryReplay", {"verb": "retry", "result": 1}, 422, "result is of a fork alone"),
        ("DryReplay", {"verb": "mend"}, 422, "verb"),
    ],
)
def test_what_means_nothing_is_refused_in_words(
    owner: Caller, name: str, fields: dict[str, Any], status: int, words: str
) -> None:
    run = failed(owner)
    before = everything()
    assert words in refused(owner, name, status, runId=run.pk, **fields).message
    assert everything() == before


def test_a_state_that_does_not_allow_it_is_told(owner: Caller) -> None:
    run = waiting(owner)
    assert "only a failed run" in refused(owner, "RetryRun", 409, runId=run.pk).message
    queued = start(ECHO, owner=owner.user).run
    assert "queued" in refused(owner, "RetryRun", 409, runId=queued.pk, rewindTo=1).message


def test_a_journal_that_cannot_be_read_allows_no_replay(owner: Caller) -> None:
    run = failed(owner)
    RunJournal.objects.filter(run_id=run.journal_id, seq=1).update(entry=b"\xff\xff")
    for name, fields in (("RetryRun", {}), ("ForkRun", {"call": 2}), ("DryReplay", {"verb": "retry"})):
        assert "backup" in refused(owner, name, 409, runId=run.pk, **fields).message
    with pytest.raises(Exception, match="backup"):
        store.read(run.journal_id)


@pytest.mark.parametrize(
    ("name", "more"), [("RetryRun", {}), ("ForkRun", {"call": 1}), ("DryReplay", {"verb": Verb.RETRY.value})]
)
def test_a_run_of_somebody_else_is_as_one_that_is_not_there(
    owner: Caller, caller: Callable[..., Caller], name: str, more: dict[str, Any]
) -> None:
    foreign, none = failed(caller("bob")).pk, new_id()
    one, other = (refused(owner, name, 404, runId=run_id, **more) for run_id in (foreign, none))
    assert (one.code, one.message.replace(foreign, none)) == (other.code, other.message)
