"""A changed source asks for what the journal does not know: the run stops, naming both sides, and does nothing else."""

import pytest
from driving import Driven, Tools, cut, drive, script

from runs.host.memory import MemoryJournal

ORIGINAL = script("""
  const a = await ctx.call('echo', {v: 'a'});
  await ctx.log('info', 'between');
  const b = await ctx.call('echo', {v: 'b'});
  await ctx.sleep(20);
  return [a, b];
""")


def with_changes(old: str, new: str) -> str:
    assert old in ORIGINAL
    return ORIGINAL.replace(old, new)


def resumed(source: str, journal: MemoryJournal) -> tuple[Driven, Tools]:
    tools = Tools()
    return drive(source, journal=list(journal.entries), tool=tools), tools


def diverged(driven: Driven, tools: Tools, journal: MemoryJournal, *named: str) -> None:
    error = driven.error
    assert error["code"] == "replay-diverged"
    for name in named:
        assert name in error["message"]
    assert tools.seen == []
    assert driven.journal.entries == journal.entries
    assert len(driven.journal.rounds) == 1
    assert driven.journal.rounds[0].ending is driven.outcome


CHANGES = {
    "one more, first": ("const a =", "await ctx.call('new', 1);\nconst a =", ['tool|"new"|1', "call 1"]),
    "one more, between": ("const b =", "await ctx.call('new');\nconst b =", ['tool|"new"|null', "call 3"]),
    "one less": (
        "const a = await ctx.call('echo', {v: 'a'});",
        "const a = 1;",
        ["the script has moved on", "call 1", '{"v":"a"}'],
    ),
    "another input": ("{v: 'b'}", "{v: 'c'}", ['{"v":"c"}', '{"v":"b"}', "call 3"]),
    "another tool": ("ctx.call('echo', {v: 'a'})", "ctx.call('echo2', {v: 'a'})", ["echo2", 'tool|"echo"', "call 1"]),
    "another message": ("'between'", "'elsewhere'", ['log|info|"elsewhere"', 'log|info|"between"', "call 2"]),
    "another duration": ("sleep(20)", "sleep(21)", ["sleep|21", "sleep|20", "call 4"]),
    "returned earlier": (
        "await ctx.log",
        "return 1;\nawait ctx.log",
        ["the script has moved on", 'log|info|"between"'],
    ),
    "thrown earlier": ("await ctx.log", "throw new Error('x');\nawait ctx.log", ['log|info|"between"']),
    "a step around it": ("const b =", "await ctx.step('s', () => ctx.now());\nconst b =", ["step|s"]),
    "a plan": ("const a =", "await ctx.plan(['x']);\nconst a =", ["plan|"]),
    "the clock": ("const a =", "await ctx.now();\nconst a =", ["asks for now"]),
    "swapped": (
        "const a = await ctx.call('echo', {v: 'a'});\n  await ctx.log('info', 'between');",
        "await ctx.log('info', 'between');\nawait ctx.now();\nconst a = 1;",
        ["now", "call 1"],
    ),
    "an endless loop of what does not wait": ("const a =", "for (;;) await ctx.log('x');\nconst a =", ['log|info|"x"']),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_source_stops_naming_both_sides_and_executes_nothing(change: str) -> None:
    old, new, named = CHANGES[change]
    live = drive(ORIGINAL)
    driven, tools = resumed(with_changes(old, new), live.journal)
    diverged(driven, tools, live.journal, *named)


@pytest.mark.parametrize("change", CHANGES)
def test_a_journal_cut_at_each_commit_diverges_or_goes_on_but_never_executes_what_it_knows(change: str) -> None:
    old, new, _ = CHANGES[change]
    live = drive(ORIGINAL)
    if "endless" in change:
        return
    for rounds in range(len(live.journal.rounds)):
        journal = cut(live.journal, rounds)
        known = {body["callSeq"] for body in (entry.body for entry in journal.entries) if body["kind"] == "result"}
        driven, tools = resumed(with_changes(old, new), journal)
        assert not known & {call.call_seq for call in tools.seen}
        if type(driven.outcome).__name__ == "Failed" and driven.error["code"] == "replay-diverged":
            assert tools.seen == []
            assert driven.journal.entries == journal.entries


def test_the_error_names_the_line_that_asked_and_the_call_that_the_journal_has() -> None:
    live = drive(ORIGINAL)
    driven, _ = resumed(with_changes("{v: 'b'}", "{v: 'c'}"), live.journal)
    assert (driven.error["line"], driven.error["callSeq"]) == (5, 3)
    assert "> 5 |" in driven.error["excerpt"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{v: 'a'})", "{v: 'a'}, {description: 'now told'})"),
        ("const a =", "// a comment\nconst a ="),
        ("const a =", "ctx.progress({fraction: 0.5});\nconst a ="),
        ("{v: 'a'})", "{v: 'a'}, {timeoutMs: 50, retry: {maxAttempts: 2}})"),
        ("const a =", "await ctx.sleep(0);\nconst a ="),
    ],
)
def test_what_is_no_part_of_the_key_may_change(old: str, new: str) -> None:
    live = drive(ORIGINAL)
    driven, tools = resumed(with_changes(old, new), live.journal)
    assert driven.output == live.output
    assert tools.seen == []


def test_an_effect_more_at_the_end_is_new_work() -> None:
    live = drive(ORIGINAL)
    driven, tools = resumed(with_changes("return [a, b]", "return [a, b, await ctx.call('echo', 'new')]"), live.journal)
    assert driven.output == [{"v": "a"}, {"v": "b"}, "new"]
    assert [call.input for call in tools.seen] == ["new"]


def test_a_step_that_ends_where_the_journal_has_more_to_deliver_diverges() -> None:
    live = drive(
        script("await ctx.step('s', async () => { await ctx.call('echo', 1); await ctx.call('echo', 2) }); return 1")
    )
    journal = cut(live.journal, 2)
    changed = script(
        "const one = ctx.step('s', async () => {}); await ctx.call('echo', 1); await one; await ctx.call('echo', 2);"
        " return 1"
    )
    driven, tools = resumed(changed, journal)
    diverged(driven, tools, journal, "step|s")
