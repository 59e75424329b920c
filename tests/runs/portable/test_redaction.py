"""Values are taken out at paths: from everything that is exported, and a path that hits nothing is refused."""

import json
from pathlib import Path

import pytest
from files import elsewhere, exported
from going import begun, go_on
from lives import CHILD

from journal import store
from runs.errors import BadInput, NotPossible
from runs.models import Message, Run
from runs.operations import fork
from runs.portable.readable import pieces
from runs.portable.redaction import MARK, Redaction
from runs.signals import send

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "hunter2"
LOGIN = """
    const secret = input.customer.email;
    await ctx.call('note', {v: {user: 'a', 'pass.word': secret}}, {description: 'Logging in'});
    console.log('said ' + secret);
    const event = await ctx.waitForEvent({});
    throw new Error(event.payload.token)"""
PATHS = ["input.customer.email", "calls.*.input.v.pass\\.word", "calls.*.output.pass\\.word", "calls.*.message"]
PATHS += ["calls.*.payload.token", "error.message", "title"]


def login(title: str = f"For {SECRET}") -> Run:
    run = begun(LOGIN, title=title, input={"customer": {"email": SECRET, "name": "x"}})
    send(run.pk, "go", {"token": SECRET})
    return go_on(run)


def test_what_was_taken_out_is_nowhere_in_the_file(tmp_path: Path) -> None:
    run = login()
    file = exported(run, redact=[*PATHS, "inbox.*.payload.token"])
    assert exported(run).count(SECRET.encode()) == 9
    assert SECRET.encode() not in file
    elsewhere(tmp_path, file)
    copy = Run.objects.get()
    assert copy.input == {"customer": {"email": MARK, "name": "x"}}
    assert (copy.title, copy.error["message"], copy.error["code"]) == (MARK, MARK, "workflow-error")
    call = store.read(copy.pk)[0].body
    assert call["input"] == {"v": {"user": "a", "pass.word": MARK}}
    assert (call["key"], call["description"]) == (MARK, "Logging in")
    assert Message.objects.get().payload == {"token": MARK}
    assert exported(copy) == file


def test_a_redacted_copy_says_so_and_does_not_replay(tmp_path: Path) -> None:
    elsewhere(tmp_path, exported(login(), redact=["calls.*.input.v.user"]))
    run = Run.objects.get()
    with pytest.raises(NotPossible, match=r"taken out of run .*calls\.\*\.input\.v\.user.*does not|cannot answer"):
        fork(run.pk, 1)


def test_what_a_replay_does_not_depend_on_may_be_taken_out_of_one_that_replays(tmp_path: Path) -> None:
    elsewhere(tmp_path, exported(login(), redact=["title"]))
    assert fork(Run.objects.get().pk, 1, dry_run=True).replay is not None


def test_a_path_that_hits_nothing_is_refused_by_name() -> None:
    run = login()
    with pytest.raises(BadInput, match=r"nothing is at input\.customer\.phone, calls\.99\.input"):
        exported(run, redact=["input.customer.phone", "title", "calls.99.input"])


@pytest.mark.parametrize("path", ["", "inputs", "calls", "calls.*", "error", "plan", "input..a", "source", "calls..x"])
def test_a_path_that_names_nothing_of_a_run_is_refused(path: str) -> None:
    with pytest.raises(BadInput, match="--redact"):
        Redaction.of([path])


@pytest.mark.parametrize("path", ["calls.*.kind", "calls.*.callSeq", "calls.*.key", "error.code", "inbox.*.kind"])
def test_what_holds_a_journal_together_is_never_taken_out(path: str) -> None:
    with pytest.raises(BadInput, match="nothing is at"):
        exported(login(), redact=[path])


def test_a_path_counts_for_all_runs_of_a_tree(tmp_path: Path) -> None:
    run = begun(f"return await ctx.delegate({{script: {CHILD!r}, input: '{SECRET}'}})")
    elsewhere(tmp_path, exported(run, tree=True, redact=["input", "output", "calls.*.input", "calls.*.output"]))
    for copy in Run.objects.all():
        assert SECRET not in json.dumps([copy.output, [entry.body for entry in store.read(copy.pk)]])
    assert Run.objects.get(depth=1).input == MARK


def test_the_readable_form_is_redacted_too() -> None:
    run = Run.objects.select_related("source", "owner", "journal", "script_version").get(pk=login().pk)
    told = json.loads("".join(pieces(run, Redaction.of(["calls.*.input.v", "input", "title"]))))
    assert told["run"]["input"] == told["run"]["title"] == told["entries"][0]["input"]["v"] == MARK
    assert told["entries"][0]["key"] == MARK
    assert told["run"]["redacted"] == ["calls.*.input.v", "input", "title"]
    assert Run.objects.get(pk=run.pk).title != MARK
