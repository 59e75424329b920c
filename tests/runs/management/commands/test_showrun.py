"""showrun: a run in words and as JSON, its journal, one call, and ids that name no run."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from commanding import command
from django.utils import timezone

from runs import queue, starting
from runs.lifecycle import Move, move
from runs.models import Run

Write = Callable[..., str]
pytestmark = pytest.mark.django_db(transaction=True)
SOURCE = "export default () => 1"


def executed(name: str, *arguments: str) -> str:
    """The id of a run that was executed to its end."""
    return str(command("startrun", name, "--inline", "--json", *arguments).json["id"])


def test_a_run_that_succeeded_is_shown_with_its_plan_and_values(script: Write) -> None:
    name = script("await ctx.plan({title: 'All', steps: ['A', 'B']});\nawait ctx.step('A', () => 1);\nreturn {n: 5}")
    run_id = executed(name, "--input", '{"m": 4}', "--title", "Sums", "--key", "k1")
    out = command("showrun", run_id).succeeded().out
    assert out.startswith(f"{run_id}  Sums\nSucceeded in ")
    for words in ("Created ", "key k1", "of 5000 entries", "Plan: All", "[x] A", "[ ] B", '"m": 4', '"n": 5'):
        assert words in out


def test_the_error_is_shown_with_excerpt_call_and_help(script: Write) -> None:
    run_id = executed(script("const n = 1;\nawait ctx.call('store.get', {key: ' '});"))
    out = command("showrun", run_id).succeeded().out
    for words in ("Failed: invalid-input", "must not be blank", "> 3 |", "From call 1 (store.get)"):
        assert words in out
    assert "The message names the field." in out
    value = command("showrun", run_id, "--json").succeeded().json
    assert value["error"]["callSeq"] == 1
    assert value["errorHelp"].endswith("The message names the field.")


def test_a_parked_run_says_until_when_and_what_it_waits_for() -> None:
    run = starting.start(SOURCE).run
    (held,) = queue.claim("worker")
    wake_at = timezone.now() + timedelta(hours=30)
    wait = [{"kind": "timer", "callSeq": 4, "wakeAt": int(wake_at.timestamp() * 1000)}]
    assert move(Run.objects.filter(pk=held.pk), Move.PARK, wake_at=wake_at, wait=wait)
    until = f"{wake_at:%Y-%m-%d %H:%M} UTC"
    out = command("showrun", run.pk).succeeded().out
    assert f"Sleeping until {until}" in out
    assert f"call 4: sleeps until {until}" in out
    value = command("showrun", run.pk, "--json").json
    assert value["status"] == "waiting"
    assert value["words"] == f"Sleeping until {until}"
    assert value["waitsFor"] == [f"call 4: sleeps until {until}"]


def test_the_journal_is_one_line_per_entry(script: Write) -> None:
    run_id = executed(script("await ctx.call('echo', {v: 'a\\nb'}, {description: 'Two\\nlines'});\nawait ctx.now();"))
    lines = command("showrun", run_id, "--journal").succeeded().out.partition("\n\n")[2].splitlines()
    assert len(lines) == 3
    assert 'call 1: Two\\nlines (echo {"v": "a\\nb"})' in lines[0]
    entries = command("showrun", run_id, "--journal", "--json").json["entries"]
    assert [(entry["seq"], entry["kind"]) for entry in entries] == [(1, "call"), (2, "result"), (3, "now")]


def test_a_call_is_shown_with_arguments_result_and_narration(script: Write) -> None:
    run_id = executed(script("await ctx.now();\nawait ctx.call('echo', {v: 'x'}, {description: 'Saying x'});"))
    out = command("showrun", run_id, "--call", "2").succeeded().out
    for words in (f"Call 2 of {run_id}: echo", "Saying x", "Line 3 of the script", '"v": "x"', 'Result: "x"'):
        assert words in out
    call = command("showrun", run_id, "--call", "2", "--json").json["call"]
    assert (call["tool"], call["input"], call["output"], call["status"]) == ("echo", {"v": "x"}, "x", "succeeded")
    assert [entry["kind"] for entry in call["entries"]] == ["call", "result"]


def test_a_failed_call_is_shown_with_its_error(script: Write) -> None:
    run_id = executed(script("try { await ctx.call('nope', {}) } catch {}"))
    assert '"code": "unknown-tool"' in command("showrun", run_id, "--call", "1").succeeded().out


def test_what_is_no_tool_call_is_shown_too(script: Write) -> None:
    run_id = executed(script("await ctx.sleep(1);"))
    assert "call 1: sleeps 1 ms" in command("showrun", run_id, "--call", "1").succeeded().out


def test_an_error_that_came_from_a_child_names_the_child(script: Write) -> None:
    kid = "export default () => { throw new Error('no') }"
    parent = executed(script(f"await ctx.delegate({{script: {kid!r}}})"))
    child = Run.objects.get(parent=parent)
    assert f"From call 1 (child run {child.pk}); --call 1" in command("showrun", parent).succeeded().out
    assert command("showrun", parent, "--json").json["error"]["childRunId"] == child.pk


def test_a_child_names_its_parent_and_the_step_that_it_belongs_to(script: Write) -> None:
    kid = "export default () => 1"
    parent = executed(script(f"await ctx.step('Ask all', () => ctx.delegate({{script: {kid!r}}}))"))
    child = Run.objects.get(parent=parent)
    assert f"child of {parent} at call 2 in step Ask all" in command("showrun", child.pk).succeeded().out
    value = command("showrun", child.pk, "--json").json
    assert (value["parent"], value["parentCallSeq"]) == (parent, 2)
    assert value["parentStep"] == {"id": "s1", "label": "Ask all"}
    assert f"call 2 in step Ask all: child a script {child.pk}" in command("showrun", parent, "--journal").out


@pytest.mark.parametrize("number", ["7", "0", "-1", "99999999999999999999"])
def test_a_call_that_there_is_not_is_refused(script: Write, number: str) -> None:
    run_id = executed(script("await ctx.now();"))
    command("showrun", run_id, f"--call={number}").refused(f"has no call {number}")


def test_the_beginning_of_an_id_is_enough_when_only_one_run_has_it() -> None:
    run = starting.start(SOURCE).run
    assert command("showrun", run.pk[:12].upper(), "--json").succeeded().json["id"] == run.pk
    starting.start(SOURCE)
    command("showrun", run.pk[:2]).refused("several runs", run.pk)


@pytest.mark.parametrize("given", ["01m8nope", "", " ", "%", "_", "a\0b", "é", "x" * 500])
def test_an_unknown_id_is_refused(given: str) -> None:
    starting.start(SOURCE)
    command("showrun", given).refused("there is no run")
    assert command("showrun", given, "--json").json["error"]["code"] == "unknown-run"


def test_what_no_terminal_can_write_is_shown_escaped(script: Write) -> None:
    run_id = executed(script("return '\\ud800'"), "--title", "\u202e evil \u001b[31m")
    out = command("showrun", run_id).succeeded().out
    assert "\\ud800" in out
    assert "\\u202e evil \\x1b[31m" in out
