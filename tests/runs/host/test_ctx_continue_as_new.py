"""ctx.continueAsNew: never resolves; the run ends and hands its state on."""

import pytest
from driving import Driven, drive, output, run, script
from post import Post

from runs.host import Continued
from runs.host.memory import MemoryClock, MemoryJournal


def state(driven: Driven) -> object:
    assert isinstance(driven.outcome, Continued), driven.outcome
    return driven.outcome.state


def test_the_run_ends_with_the_state_of_its_successor() -> None:
    driven = run("await ctx.call('echo', 1); await ctx.continueAsNew({n: input + 1}); return 'never'", input=4)
    assert state(driven) == {"n": 5}
    assert driven.journal.rounds[-1].ending == driven.outcome
    assert state(drive(script("await ctx.call('echo', 1); await ctx.continueAsNew({n: input + 1})"), input=4,
                       journal=MemoryJournal(driven.journal.entries))) == {"n": 5}  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        "ctx.continueAsNew(1); return 2",
        "ctx.continueAsNew(1); throw new Error('late')",
        "try { await ctx.continueAsNew(1) } finally { return 2 }",
        "ctx.continueAsNew(1); ctx.continueAsNew(2); await ctx.sleep(5)",
        "await Promise.race([ctx.continueAsNew(1), ctx.sleep(5)]); return 2",
        "await ctx.parallel([() => ctx.continueAsNew(1), () => ctx.call('boom')])",
    ],
)
def test_nothing_that_follows_it_changes_that(body: str) -> None:
    assert state(run(body)) == 1


def test_calls_that_are_out_are_finished_and_recorded_before() -> None:
    driven = run("ctx.call('echo', 1); await ctx.continueAsNew(null)")
    assert driven.kinds() == ["call", "result"]
    assert state(driven) is None


def test_a_state_that_json_cannot_carry_is_invalid_input() -> None:
    assert output("return await ctx.continueAsNew(10n).catch((e) => e.code)") == "invalid-input"


def test_waits_and_timers_are_dropped_and_the_inbox_is_left_to_the_successor() -> None:
    post = Post(MemoryClock())
    post.signal("b", 1)
    driven = drive(script("ctx.waitForEvent({signal: 'a'}).then(() => 0); await ctx.sleep(5);"
                          " await ctx.continueAsNew(1)"), journal=post)  # fmt: skip
    assert state(driven) == 1
    assert [letter.name for letter in post.letters()] == ["b"]
