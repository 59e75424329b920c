"""Random programs over all of ctx, and tools whose answers are random: what replay must reproduce to the byte."""

import random
from collections.abc import Callable
from typing import Any

from post import Post

from runs.host import Call, Completion, NewChild
from runs.host.failure import failure
from runs.host.memory import MemoryClock


def program(rng: random.Random) -> str:
    """The body of a main function; `acc` is what it has seen."""
    parts = "".join(_statement(rng, 0) for _ in range(rng.randrange(2, 5)))
    ends = rng.choice(
        ["return acc", "return acc", "return {acc, at: await ctx.now()}", "throw new Error('end ' + acc.length)"]
    )
    return (
        "const acc = []; const see = (x) => acc.push(x === undefined ? null :"
        f" JSON.parse(JSON.stringify(x)));\n{parts}\n{ends}"
    )


def random_tool(seed: int) -> Callable[[Call], Completion]:
    """Answers at random, failing now and then; another seed gives other answers."""
    rng = random.Random(seed)

    def tool(call: Call) -> Completion:
        chance = rng.random()
        if chance < 0.2:
            error = failure(
                f"e{rng.randrange(3)}", f"bad {rng.randrange(9)}", retryable=rng.random() < 0.7, detail={"d": chance}
            )
            return Completion(call.call_seq, call.attempt, False, error)
        return Completion(
            call.call_seq,
            call.attempt,
            True,
            {"r": rng.randrange(1000), "x": rng.choice([None, -0.0, 0.1, "\ud800", [1]])},
        )

    return tool


def random_child(seed: int) -> Callable[[NewChild], tuple[int, bool, Any]]:
    """Ends at random, sooner or later; the same child always in the same way."""

    def child(made: NewChild) -> tuple[int, bool, Any]:
        rng = random.Random(f"{seed} {made.call_seq}")
        after = rng.choice([0, 3, 50, 3000])
        if rng.random() < 0.2:
            return after, False, failure(f"e{rng.randrange(3)}", "the child broke", detail={"d": rng.random()})
        return after, True, {"child": rng.randrange(1000)}

    return child


def random_post(seed: int) -> Post:
    """Signals of three names at random moments of the first minutes; no two have the same payload."""
    rng = random.Random(seed)
    post = Post(MemoryClock(), random_child(seed))
    for number in range(rng.randrange(0, 9)):
        post.signal(rng.choice("abc"), number, after=rng.choice([0, 1, 30, 900, 5000, 100_000]))
    return post


def _statement(rng: random.Random, depth: int) -> str:
    makers = _LEAVES if depth >= 3 else _LEAVES + _BRANCHES
    return rng.choice(makers)(rng, depth) + "\n"


def _expression(rng: random.Random) -> str:
    """A promise of one effect, which may fail."""
    name, n = rng.choice(["a", "b", "c", "tx.a"]), rng.randrange(4)
    options = rng.choice(
        [
            "",
            "",
            f", {{description: 'd{n}'}}",
            f", {{retry: {{maxAttempts: {n + 1}, backoffMs: {rng.choice([0, 5, 700, 5000])}}}}}",
        ]
    )
    return rng.choice(
        [f"ctx.call('{name}', {{n: {n}}}{options})"] * 3
        + [f"ctx.call('{name}', acc.length{options})", f"ctx.sleep({n * 3 + 1}).then(() => 's{n}')"]
        + [_wait_for(rng), f"{_wait_for(rng)}.then((e) => e && e.payload)", _child(n), _child(n)]
    )


def _wait_for(rng: random.Random) -> str:
    match = rng.choice(["{}", "{signal: 'a'}", "{signal: 'b'}", "{signal: 'b'}"])
    timeout = rng.choice([None, 0, 5, 400, 5000, 86_400_000])
    return f"ctx.waitForEvent({match}{'' if timeout is None else f', {{timeout: {timeout}}}'})"


def _child(n: int) -> str:
    return f"ctx.delegate({{script: 'S{n % 2}', input: acc.length}})"


def _call(rng: random.Random, _: int) -> str:
    return f"see(await {_expression(rng)}.catch(e => [e.code, e.message, e.callSeq, e.detail]));"


def _plain(rng: random.Random, _: int) -> str:
    n = rng.randrange(5)
    return rng.choice(
        [
            "see(await ctx.now());",
            f"await ctx.log('warn', 'm{n}', {{n: acc.length}});",
            f"console.log('c{n}', acc.length);",
            f"await ctx.sleep({rng.choice([1, 20, 900, 1500, 86400000])});",
            f"await ctx.plan(['p{n}', 'q']);",
            f"ctx.progress({{fraction: 0.{n}}});",
            f"await ctx.minutes({n});",
            "await ctx.sleep(0);",
            "await ctx.sleep(-1).catch(e => see(e.message));",
        ]
    )


def _uncaught(rng: random.Random, _: int) -> str:
    return f"see(await {_expression(rng)});"


def _unawaited(rng: random.Random, _: int) -> str:
    return f"{_expression(rng)};"


_LEAVES = [_call, _call, _call, _plain, _plain, _uncaught, _unawaited]


def _inner(rng: random.Random, depth: int) -> str:
    return _statement(rng, depth + 1)


def _thunks(rng: random.Random, depth: int) -> str:
    return ",".join(f"async () => {{ {_inner(rng, depth)} return acc.length }}" for _ in range(rng.randrange(1, 4)))


def _parallel(rng: random.Random, depth: int) -> str:
    return f"see(await ctx.parallel([{_thunks(rng, depth)}]).catch(e => 'p ' + e.message));"


def _settled(rng: random.Random, depth: int) -> str:
    return (
        f"see((await ctx.parallelSettled([{_thunks(rng, depth)}])).map(o => o.status + o.value + (o.reason &&"
        " o.reason.message)));"
    )


def _combined(rng: random.Random, _: int) -> str:
    items = ",".join(_expression(rng) for _ in range(rng.randrange(2, 4)))
    return (
        f"see(await Promise.{rng.choice(['race', 'any', 'all', 'allSettled', 'race'])}([{items}]).catch(e => 'x ' +"
        " (e.message || e.errors.length)));"
    )


def _raced(rng: random.Random, depth: int) -> str:
    branches = ",".join(f"(async () => {{ {_inner(rng, depth)} return 'w{i}' }})()" for i in range(rng.randrange(2, 4)))
    return f"see(await Promise.race([{branches}]).catch(e => 'r ' + e.message));"


def _loop(rng: random.Random, depth: int) -> str:
    return f"for (let i = 0; i < {rng.randrange(1, 4)}; i++) {{ {_inner(rng, depth)} }}"


def _try(rng: random.Random, depth: int) -> str:
    check = f"if (acc.length % {rng.randrange(2, 5)} === 0) throw new Error('x' + acc.length);"
    return (
        f"try {{ {_inner(rng, depth)} {check} {_inner(rng, depth)} }} catch (e) {{ see('c ' + e.message);"
        f" {_inner(rng, depth)} }}"
    )


def _branch(rng: random.Random, depth: int) -> str:
    return (
        f"if (JSON.stringify(acc).length % {rng.randrange(2, 5)} === 0) {{ {_inner(rng, depth)} }} else {{"
        f" {_inner(rng, depth)} }}"
    )


def _step(rng: random.Random, depth: int) -> str:
    label = rng.choice(["p1", "q", "own"])
    return (
        f"see(await ctx.step('{label}', async () => {{ {_inner(rng, depth)} return 't' + acc.length }}).catch(e => 's '"
        " + e.message));"
    )


_BRANCHES = [_parallel, _settled, _combined, _combined, _raced, _loop, _try, _branch, _step]
