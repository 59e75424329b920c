"""C15, C18, C29 to C32: a script that is too much ends by name, and its worker serves the next."""

import json
from pathlib import Path

import pytest
from cases.installation import Installation, entries, look
from django.contrib.auth.models import User
from django.test import Client
from helpers import alive, eventually

from runs.models import Run

ENVIRON = {
    "DAYBOOK_FUEL_MS": "300",
    "DAYBOOK_JOURNAL_MAX_ENTRIES": "100",
    "DAYBOOK_WORKERS": "1",
}
MIB = 1024 * 1024


def resident_bytes(pid: int) -> int:
    """What a process holds in memory."""
    with Path(f"/proc/{pid}/status").open() as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024


def page_of(run: Run) -> str:
    """The run page, as an administrator sees it."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get_or_create(username="reader", is_superuser=True)[0])
    page = client.get(f"/runs/{run.pk}/")
    assert page.status_code == 200
    return page.content.decode()


def serves_the_next(house: Installation) -> None:
    assert house.succeeded(house.run("return await ctx.call('counted', {v: 1})")).output == 1


def test_c15_a_message_of_ten_megabytes_is_cut(house: Installation) -> None:
    """C15: a tool raises a 10 MB message: failed; the text is cut with a mark; the page opens."""
    run = house.run("await ctx.call('shout', {size: 10000000})")
    error = house.failed(run, "tool-error")
    assert len(error["message"]) < 9_000
    assert error["message"].startswith("RuntimeError: Aaaa")
    assert not error["message"].endswith("a"), "the cut shows no mark"
    (result,) = entries(run, "result")
    assert "[cut: 10,000,0" in result.body["error"]["message"]
    assert "tool-error" in page_of(run)


def test_c18_calls_for_ever_fill_the_journal_and_stop(house: Installation) -> None:
    """C18: calls for ever: warning at 80 %, then journal-cap; still readable and exportable."""
    run = house.run("for (;;) await ctx.call('tick', {})")
    error = house.failed(run, "journal-cap")
    assert "continueAsNew" in error["message"]
    warnings = [entry for entry in entries(run, "log") if "% full" in entry.body["message"]]
    assert len(warnings) == 1
    assert 78 <= warnings[0].seq <= 83
    assert 98 <= len(entries(run)) <= 102
    assert len(entries(run, "call")) == len(entries(run, "result"))
    assert len(house.executions(run)) == len(entries(run, "call"))
    assert "journal-cap" in page_of(run)
    shown = json.loads(house.manage("showrun", run.pk, "--journal", "--json").stdout)
    assert len(shown["entries"]) == shown["journal"]["entries"] == len(entries(run))


def test_c18_a_run_at_its_cap_can_be_canceled(house: Installation) -> None:
    """C18: at the cap it is still cancellable."""
    run = house.run("""
        for (let i = 0; i < 49; i++) await ctx.call('tick', {})
        await ctx.call('gate', {name: 'never'})""")
    eventually(lambda: len(entries(run, "call")) == 50)
    Run.objects.filter(pk=run.pk).update(cancel_requested_at=run.created_at)
    assert house.ended(run).status == "canceled"


NATIVE = [
    "Array.prototype.includes.call({length: 2**32 - 1}, 1)",
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "new Array(2e8) + ''",
]


@pytest.mark.parametrize("native", NATIVE)
def test_c29_a_native_call_without_end_is_stopped(house: Installation, native: str) -> None:
    """C29: a huge includes, a nested-quantifier regex, a join of a sparse array: fuel-exhausted; the worker
    serves the next run."""
    run = house.run(f"await ctx.call('echo', {{}}); {native}; return 1")
    house.failed(run, "fuel-exhausted")
    serves_the_next(house)


def test_c29_the_other_residents_of_a_worker_that_ends_itself_resume(house: Installation) -> None:
    """C29: the watchdog ends the process for one run; the others go on from their journals."""
    other = house.run("const a = await ctx.call('tick', {}); await ctx.call('gate', {name: 'c29'}); return a")
    eventually(lambda: house.counts(other).get("gate") == 1)
    worker = house.holder(other)
    house.failed(house.run(f"{NATIVE[2]}"), "fuel-exhausted")
    eventually(lambda: not alive(worker))
    house.open("c29")
    assert house.succeeded(other).output == 1
    assert house.counts(other) == {"gate": 2, "tick": 1}


def test_c30_a_promise_that_reschedules_itself_for_ever_is_stopped(house: Installation) -> None:
    """C30: a promise that reschedules itself for ever beside one call: fuel-exhausted, not success."""
    run = house.run("""
        const spin = () => { Promise.resolve().then(spin) }
        spin()
        return await ctx.call('counted', {v: 1})""")
    house.failed(run, "fuel-exhausted")
    serves_the_next(house)


def test_c30_one_that_also_keeps_all_before_it_is_stopped_by_what_it_meets_first(house: Installation) -> None:
    """C30: each promise waits for the next one, so memory may end before the fuel does."""
    run = house.run("""
        const spin = () => Promise.resolve().then(spin)
        spin()
        return await ctx.call('counted', {v: 1})""")
    assert house.ended(run).error_code in {"fuel-exhausted", "out-of-memory"}
    assert house.counts(run) == {}
    serves_the_next(house)


def test_c31_many_slices_each_within_the_fuel_meet_the_budget_of_the_run(house: Installation) -> None:
    """C31: slices below the fuel, without end: the run's whole CPU budget stops it."""
    run = house.run(
        """
        for (;;) { for (let i = 0; i < 1e6; i++); await ctx.call('echo', {}) }""",
        budget={"cpuMs": 800},
    )
    error = house.failed(run, "cpu-exhausted")
    assert "800 ms" in error["message"]
    assert look(run).journal.cpu_ms < 1600


GREEDY = [
    # The engine doubles a rope for nothing; looking into it asks for the memory.
    "let s = 'x'; while (s.length < 5e8) s += s; return s.indexOf('y')",
    "const a = []; for (let i = 0; i < 800; i++) a.push(new Array(65536).fill(i)); return a.length",
]


@pytest.mark.parametrize("greedy", GREEDY)
def test_c32_memory_without_end_is_refused_and_the_process_stays_small(house: Installation, greedy: str) -> None:
    """C32: doubling a string to 500 MB; 800 arrays of half a megabyte: out-of-memory failure; the process stays
    bounded."""
    house.failed(house.run(greedy), "out-of-memory")
    serves_the_next(house)
    assert max(map(resident_bytes, house.workers())) < 250 * MIB
