"""Scripts of children have rows of their own: a journal carries their content keys, and a replay gets their texts."""

import json
from typing import Any

import pytest
from cases.installation import script
from cases.replaying import assert_replay_agrees

from journal import codec, store
from journal.entries import content_key
from journal.errors import JournalDamaged
from journal.models import RunJournal
from runs import queue, replayable
from runs.lifecycle import Move, move
from runs.models import Run, Source
from runs.operations import fork, rewind
from runs.starting import start
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db(transaction=True)
CHILD = "export default async (input, ctx) => input + 1"
PARENT = script(f"return [await ctx.delegate({{script: {json.dumps(CHILD)}, input: 1}}), await ctx.sleep(60000)]")


def advanced(run: Run) -> Run:
    """The run after one claim; one that waits is woken for it."""
    move(Run.objects.filter(pk=run.pk), Move.WAKE)
    (held,) = queue.claim("here", only=run.pk)
    Resident(held).advance()
    return Run.objects.select_related("journal", "source").get(pk=run.pk)


def calls(run: Run) -> list[dict[str, Any]]:
    return [entry.body for entry in store.read(run.journal_id, superseded=False) if entry.kind == "call"]


@pytest.fixture
def parent() -> Run:
    """Asleep; its child has answered."""
    run = advanced(start(PARENT).run)
    advanced(run.children.get())
    return advanced(run)


def test_an_entry_holds_the_content_key_and_the_replay_the_text(parent: Run) -> None:
    (call,) = calls(parent)
    assert "script" not in call
    assert call["scriptSha256"] == content_key(CHILD) == parent.children.get().source_id
    (whole,) = [entry.body for entry in replayable.read(parent.journal_id) if entry.kind == "call"]
    assert whole == {name: value for name, value in call.items() if name != "scriptSha256"} | {"script": CHILD}
    assert store.read(parent.journal_id)[0].data == replayable.read(parent.journal_id)[0].data


def test_a_journal_that_holds_the_text_itself_replays_as_before(parent: Run) -> None:
    """As it was written before scripts had their own rows."""
    (call,) = [entry for entry in replayable.read(parent.journal_id) if entry.kind == "call"]
    RunJournal.objects.filter(run_id=parent.journal_id, seq=call.seq).update(entry=codec.encode(call.body))
    assert calls(parent)[0]["script"] == CHILD
    again = advanced(parent)
    assert (again.status, len(calls(parent)), parent.children.count()) == ("waiting", 1, 1)
    Run.objects.filter(pk=parent.pk).update(wake_at="2020-01-01T00:00Z")
    made = Run.objects.get(pk=fork(parent.pk, 2).run_id)
    assert [body.get("scriptSha256") for body in calls(made)] == [content_key(CHILD)]


def test_operations_write_the_key_too(parent: Run) -> None:
    made = Run.objects.get(pk=fork(parent.pk, 2).run_id)
    assert calls(made) == calls(parent)
    assert advanced(made).status == "waiting"
    assert not made.children.exists(), "the answer was copied"
    rewind(parent.pk, 1)
    assert advanced(parent).status == "waiting"
    assert [body["scriptSha256"] for body in calls(parent)] == [content_key(CHILD)]


def test_a_script_that_is_gone_is_a_damaged_journal(parent: Run) -> None:
    key = calls(parent)[0]["scriptSha256"]
    Run.objects.filter(source_id=key).update(source=None)
    Source.objects.filter(pk=key).delete()
    with pytest.raises(JournalDamaged, match=f"the script {key} of its child is gone"):
        replayable.read(parent.journal_id)


def test_a_child_that_could_not_be_made_keeps_its_script_in_the_entry() -> None:
    run = advanced(start(script("return ctx.delegate({script: 'no script'}).catch((e) => e.code)")).run)
    assert (run.output, calls(run)[0]["script"]) == ("lint", "no script")
    assert_replay_agrees(run)


def test_hundreds_of_children_of_one_large_script_fit_into_journal_and_realm() -> None:
    large = CHILD + "\n/* " + "x" * 200_000 + " */"
    body = f"const script = {json.dumps(CHILD)} + '\\n/* ' + 'x'.repeat(200000) + ' */';"
    body += "return ctx.parallel(Array.from({length: 350}, (_, i) => () => ctx.delegate({script, input: i})))"
    run = start(script(body)).run
    for _ in range(2):  # the second claim replays it
        assert advanced(run).status == "waiting"
    run = Run.objects.select_related("journal").get(pk=run.pk)
    assert run.children.count() == 350
    assert set(run.children.values_list("source_id", flat=True)) == {content_key(large)}
    each = run.journal.bytes / 350
    print(f"{each:.0f} bytes a delegate, of a script of {len(large)}")
    assert each < 400
