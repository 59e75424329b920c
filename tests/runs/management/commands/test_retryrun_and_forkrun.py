"""retryrun and forkrun: what they print, what they refuse with what would work, and that a dry run changes nothing."""

from collections.abc import Callable

import pytest
from commanding import command

from journal.entries import Kind
from journal.store import read
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)
Script = Callable[..., str]
BODY = "await ctx.call('echo', {v: 'a'}); return ctx.call('store.get', input)"


@pytest.fixture
def failed(script: Script) -> Run:
    assert command("startrun", script(BODY), "--inline", "--input", '{"key": " "}').code == 1
    return Run.objects.get()


def test_a_dry_run_prints_the_three_lists_and_changes_nothing(failed: Run, script: Script) -> None:
    mended = script(BODY.replace("input)", "{key: 'k', default: 0})"), "mended.js")
    before = Run.objects.values().get()
    out = command("retryrun", failed.pk, "--source", mended, "--dry-run").succeeded().out
    assert out.splitlines() == [
        "Reused, answered from the journal: 1",
        '  call 1, line 2: tool echo {"v": "a"}',
        "Executed anew: 1",
        '  call 3, line 2: tool store.get {"key": "k", "default": 0}',
        "Orphans, left behind in the journal: 1",
        '  call 2, line 2: tool store.get {"key": " "}',
        "The script then waits for call 3.",
        "Nothing was changed.",
    ]
    assert Run.objects.values().get() == before


def test_it_is_queued_and_told_so(failed: Run) -> None:
    told = command("retryrun", failed.pk[:12], "--json").succeeded().json
    assert (told["verb"], told["id"], told["attempt"], told["dryRun"]) == ("retry", failed.pk, 2, False)
    assert [call["callSeq"] for call in told["new"]] == [2]
    assert Run.objects.get().status == "queued"


def test_a_rewind_names_the_call(failed: Run) -> None:
    done = command("retryrun", failed.pk, "--rewind", "1").succeeded()
    assert done.out.endswith(f"{failed.pk} is queued, attempt 2\n")
    assert f"/runs/{failed.pk}/" in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--call", "1"], "call 1 has not failed (those that did: 2); rewind to it, or fork from it"),
        (["--rewind", "9"], "no call 9; its calls go from 1 to 2"),
        (["--call", "2", "--rewind", "1"], "give one of them"),
        (["--source", "nowhere.js"], "there is no file"),
        (["--children", "eat"], "invalid choice"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_work(failed: Run, arguments: list[str], says: str) -> None:
    command("retryrun", failed.pk, *arguments).refused(says)
    assert Run.objects.get().attempt == 1


def test_a_queued_run_is_refused_with_what_would_work(failed: Run) -> None:
    command("retryrun", failed.pk).succeeded()
    command("retryrun", failed.pk).refused("only a failed run can be retried, and this one is queued")
    command("retryrun", failed.pk, "--rewind", "1").refused("queued: cancel it, or wait")


def test_a_fork_prints_the_new_id_and_leaves_the_old_run_alone(failed: Run) -> None:
    before = Run.objects.values().get()
    made = command("forkrun", failed.pk, "--call", "2", "--result", '"given"').succeeded().out.strip()
    assert Run.objects.get(pk=made).forked_from_id == failed.pk
    assert Run.objects.values().get(pk=failed.pk) == before
    told = command("forkrun", failed.pk, "--call", "2", "--dry-run", "--json").succeeded().json
    assert (told["verb"], told["dryRun"], Run.objects.count()) == ("fork", True, 2)


def test_the_result_given_to_a_wait_is_its_payload(script: Script) -> None:
    asking = script("return (await ctx.waitForEvent({signal: 'ok'}, {timeout: 1})) ?? ctx.call('nothing')")
    assert command("startrun", asking, "--inline").code == 1
    again = command("forkrun", Run.objects.get().pk, "--call", "1", "--result", '{"by": "me"}').succeeded()
    fork = Run.objects.get(pk=again.out.strip())
    assert f"/runs/{fork.pk}/" in again.err
    (event,) = [entry.body for entry in read(fork.journal_id) if entry.kind == Kind.EVENT]
    assert (event["signal"], event["payload"]) == ("ok", {"by": "me"})


def test_a_fork_of_what_is_not_there_is_refused(failed: Run) -> None:
    command("forkrun", failed.pk, "--call", "7").refused("the run has no call 7")
    command("forkrun", "nothing", "--call", "1").refused("there is no run")
    command("forkrun", failed.pk, "--call", "1", "--result", "{").refused("--result: not JSON")
    assert Run.objects.count() == 1
