"""Records journals of this realm version as files beside this one, for `test_histories.py` to replay for ever after.

    python tests/histories/record.py NAME ...     # those of SCRIPTS that are new; a file that exists is never replaced

A history is CBOR: {realmVersion, source, input, outcome, entries: [[seq, at, entry], ...]}, `outcome` as text.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "runs" / "host")]

import cbor2  # noqa: E402
import driving  # noqa: E402

from journal import codec  # noqa: E402
from runs.realm import REALM_VERSION  # noqa: E402

SCRIPTS = {
    "sequence": "let n = 0; for (let i = 0; i < 5; i++) n += await ctx.call('tick', {}); await ctx.sleep(60000); return n",
    "race": """
        const winner = await Promise.race([ctx.call('slow', {ms: 900, v: 'slow'}), ctx.call('slow', {ms: 50, v: 'fast'})]);
        await ctx.call('echo', {v: winner});
        await ctx.sleep(60000);
        return winner""",
    "branches": """
        const both = await ctx.parallel([
          async () => { await ctx.sleep(30); return ctx.call('tick', {}) },
          async () => { await ctx.sleep(10); return ctx.call('tick', {}) },
        ]);
        await ctx.sleep(60000);
        return both""",
    "failures": """
        ctx.call('boom', {code: 'left-alone'});
        const seen = [];
        await ctx.call('flaky', {until: 3}, {retry: {maxAttempts: 3, backoffMs: 5000}, description: 'third time lucky'});
        try { await ctx.call('boom', {code: 'sad', message: 'no', detail: {a: [1, null]}}) } catch (e) { seen.push(e.code, e.detail, e.callSeq) }
        for (const one of await ctx.parallelSettled([() => ctx.call('boom', {}), () => ctx.call('echo', {v: 1})])) seen.push(one.status);
        await ctx.sleep(60000);
        throw new Error('in the end ' + JSON.stringify(seen))""",
    "records": """
        await ctx.plan({title: 'All', steps: ['One', {id: 'b', label: 'Two'}]});
        const a = await ctx.step('One', () => ctx.call('echo', {v: 'x\\u0000\\ud800'}));
        await ctx.step('Two', async () => { throw new Error('two') }).catch(() => ctx.log('warn', 'two failed', {a}));
        await ctx.step('Three', () => ctx.now());
        console.log('done', a, {n: -0});
        await ctx.sleep(ctx.minutes(5));
        return [a, await ctx.now()]""",
    "transactional": """
        const first = await ctx.call('tx.tick', {});
        const rest = await ctx.parallel([() => ctx.call('tx.tick', {}), () => ctx.call('echo', {first}), () => ctx.call('tx.tick', {})]);
        await ctx.sleep(60000);
        return [first, rest]""",
}


def main(names: list[str]) -> None:
    for name in names or SCRIPTS:
        path = HERE / f"v{REALM_VERSION}-{name}.cbor"
        if path.exists():
            print(f"{path.name} is there already and stays as it is")
            continue
        source, effects = driving.script(SCRIPTS[name]), driving.TimedEffects if name == "race" else None
        driven = driving.drive(source, input={"name": name}, effects=effects)
        entries = [[entry.seq, entry.at, entry.data] for entry in driven.journal.entries]
        history = {"realmVersion": REALM_VERSION, "source": source, "input": {"name": name}}
        path.write_bytes(cbor2.dumps(history | {"outcome": driven.text, "entries": entries}))
        assert codec.decode(entries[0][2]) == driven.journal.entries[0].body
        print(f"{path.name}: {len(entries)} entries, {driven.text}")


if __name__ == "__main__":
    main(sys.argv[1:])
