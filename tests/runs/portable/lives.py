"""Runs of all kinds of lives, lived by the real host on the database: no two seeds give the same one."""

import random
from collections.abc import Callable, Iterator

from going import begun, go_on

from runs.cancelling import cancel
from runs.models import Run
from runs.operations import fork, retry, rewind
from runs.signals import send

TEXTS = ("plain", "Ünïcödé ✓", "nul \\u0000 in it", "a lone \\ud800 surrogate", "\\u2028 <b>&", "")
CHILD = "export default async (input, ctx) => [await ctx.call('note', {v: input}), ctx.input]"
NESTED = (
    "export default async (input, ctx) => {"
    f" const script = {CHILD!r};"
    " return await ctx.delegate({script, input: [input, 'deep'], title: 'Below'}) }"
)


def lives(count: int, seed: int = 0) -> Iterator[tuple[str, Run]]:
    """(kind, root): each kind in turn, with other values each time."""
    rng = random.Random(seed)
    for number in range(count):
        kind = list(_KINDS)[number % len(_KINDS)]
        yield kind, _KINDS[kind](rng, number)


def _calls(rng: random.Random, number: int) -> Run:
    text, sleeps = rng.choice(TEXTS), rng.randrange(3)
    body = f"""
        const out = [];
        for (let i = 0; i < {rng.randrange(1, 6)}; i++)
          out.push(await ctx.call('note', {{v: '{text}' + i}}, {{description: 'Note ' + i}}));
        out.push(await Promise.race([ctx.call('note', {{v: {rng.random()}}}), ctx.call('note', {{v: {number}}})]));
        await ctx.sleep({sleeps});
        console.log('{text}', {{n: -0, big: 2 ** 53 - 1, x: 1e300, y: 0.1}});
        return {{out, at: typeof await ctx.now()}}"""
    return begun(
        body, title=f"Calls {number}", input={"n": number, "z": 1, "a": [None, True, 1.5]}, key=f"key/{number}?é"
    )


def _planned(rng: random.Random, number: int) -> Run:
    body = f"""
        await ctx.plan({{title: '{rng.choice(TEXTS)}', steps: ['One', {{id: 'b', label: 'Two'}}, 'Three']}});
        ctx.progress({{fraction: 0.25, label: 'a quarter'}});
        const a = await ctx.step('One', () => ctx.call('note', {{v: {number}}}));
        await ctx.step('Two', async () => {{ throw new Error('two') }})
          .catch((e) => ctx.log('warn', 'failed', {{m: e.message}}));
        await ctx.parallelSettled([() => ctx.call('once', {{v: 'p{number}'}}), () => ctx.call('note', {{v: 1}})]);
        ctx.call('once', {{v: 'left{number}'}});
        return a"""
    return begun(body)


def _failed(rng: random.Random, number: int) -> Run:
    return begun(f"await ctx.call('note', {{v: 1}}); await ctx.call('once', {{v: 'f{number}'}}); return 'never'")


def _thrown(rng: random.Random, number: int) -> Run:
    return begun(f"await ctx.call('note', {{v: 1}}); throw new Error('{rng.choice(TEXTS)}')")


def _retried(rng: random.Random, number: int) -> Run:
    run = _failed(rng, number)
    retry(run.pk)
    return go_on(run)


def _mended(rng: random.Random, number: int) -> Run:
    run = begun(
        f"const a = await ctx.call('note', {{v: {number}}}); await ctx.call('note', {{v: 'gone'}}); throw new Error(a)"
    )
    source = (
        f"export default async (input, ctx) => [await ctx.call('note', {{v: {number}}}),"
        " await ctx.call('note', {v: 'new'})]"
    )
    retry(run.pk, source=source)
    return go_on(run)


def _rewound(rng: random.Random, number: int) -> Run:
    run = _calls(rng, number)
    rewind(run.pk, 2)
    return go_on(run)


def _forked(rng: random.Random, number: int) -> Run:
    run = begun(f"const a = await ctx.call('note', {{v: {number}}}); return [a, await ctx.call('note', {{v: a}})]")
    return go_on(Run.objects.get(pk=fork(run.pk, 1, result={"given": number}).run_id))


def _waiting(rng: random.Random, number: int) -> Run:
    run = begun("await ctx.call('note', {v: 1}); return await ctx.waitForEvent({signal: 'yes'}, {label: 'Sign-off'})")
    if rng.random() < 0.5:
        send(run.pk, "no", {"n": number}, id=f"no/{number}")
    return go_on(run)


def _timed(rng: random.Random, number: int) -> Run:
    return begun("const r = await ctx.waitForEvent({}, {timeout: 1}); await ctx.sleep(ctx.days(3)); return r")


def _signaled(rng: random.Random, number: int) -> Run:
    run = begun("const all = []; for (let i = 0; i < 2; i++) all.push(await ctx.waitForEvent({})); return all")
    for at in range(2):
        send(run.pk, f"go{at}", {"n": [number, None]}, id=f"{number}/{at}" if at else None)
        run = go_on(run)
    return run


def _tree(rng: random.Random, number: int) -> Run:
    body = f"""
        const ask = (script, n) => ctx.delegate({{script, input: n, title: 'Child ' + n}}).catch((error) => error.code);
        const some = await ctx.parallel([1, 2, 3].map((n) => () => ask({CHILD!r}, n)));
        const broken = 'export default () => {{ throw new Error("no") }}';
        return [some, await ask({NESTED!r}, {number}), await ask(broken, 0)]"""
    return begun(body, title=f"Tree {number}", owner=None)


def _waiting_tree(rng: random.Random, number: int) -> Run:
    script = "export default async (n, ctx) => await ctx.waitForEvent({signal: 'later'})"
    return begun(f"return await ctx.parallel([1, 2].map((n) => () => ctx.delegate({{script: {script!r}, input: n}})))")


def _continued(rng: random.Random, number: int) -> Run:
    return begun(
        "if (ctx.input < 3) await ctx.continueAsNew(ctx.input + 1); return await ctx.call('note', {v: ctx.input})",
        input=1,
    )


def _canceled(rng: random.Random, number: int) -> Run:
    run = _waiting(rng, number)
    cancel(run.pk, "no longer needed")
    return go_on(run)


_KINDS: dict[str, Callable[[random.Random, int], Run]] = {
    "calls": _calls,
    "planned": _planned,
    "failed": _failed,
    "thrown": _thrown,
    "retried": _retried,
    "mended": _mended,
    "rewound": _rewound,
    "forked": _forked,
    "waiting": _waiting,
    "timed": _timed,
    "signaled": _signaled,
    "tree": _tree,
    "waiting-tree": _waiting_tree,
    "continued": _continued,
    "canceled": _canceled,
}
KINDS = tuple(_KINDS)
