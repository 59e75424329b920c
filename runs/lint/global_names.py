"""The global names of the realm: those that a script may use, and those it may not, each with what to write instead."""

from typing import NamedTuple

ECMASCRIPT = (
    "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView "
    "DisposableStack Error EvalError Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array "
    "Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String "
    "SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray "
    "WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape isFinite isNaN parseFloat "
    "parseInt undefined unescape"
)
ENGINE = "DOMException InternalError atob btoa queueMicrotask"
REALM = "ActionError TextDecoder TextEncoder console structuredClone"
ALLOWED = frozenset(f"{ECMASCRIPT} {ENGINE} {REALM}".split())


class Refusal(NamedTuple):
    """Why a global is refused; `message` has a place for its name."""

    rule: str
    message: str


CLOCK = Refusal(
    "no-clock", "`{name}` is not available: a replay would read another time. Write `await ctx.now()` for the time."
)
TIMER = Refusal(
    "no-timer",
    "`{name}` is not available: a script waits in a way that survives a restart. Write `await ctx.sleep(ms)`.",
)
CANCEL_TIMER = Refusal(
    "no-timer",
    "`{name}` is not available, as there are no timers to clear. Write `await ctx.sleep(ms)` to wait, or "
    "`ctx.waitForEvent(match, {{timeout}})` for a wait that ends early.",
)
NETWORK = Refusal(
    "no-network",
    "`{name}` is not available: what a script does to the world goes through ctx. Write "
    "`await ctx.call('http.request', {{method, url}})`.",
)
RANDOM = Refusal(
    "no-random",
    "`{name}` is not available: a replay would draw another number. Take randomness as input or from a tool.",
)
COLLECTOR = Refusal(
    "no-gc-observer",
    "`{name}` is not available: when memory is reclaimed differs from one replay to the next. Write a plain reference, "
    "or a `WeakMap` or `WeakSet`.",
)
SHARED = Refusal(
    "no-shared-memory", "`{name}` is not available: a script has one thread and shares nothing. Write an `ArrayBuffer`."
)
EVAL = Refusal(
    "no-eval", "`{name}` is not available: a script runs only the code that was submitted. Write the code itself."
)
FUNCTION = Refusal(
    "no-eval",
    "`Function` is not available: a script runs only the code that was submitted. Write a function expression, and "
    "`typeof x === 'function'` to test for one.",
)
GLOBAL_OBJECT = Refusal(
    "no-global-object",
    "`{name}` is not available: a script has no global object. Write the name itself, and keep state in local "
    "variables.",
)
MODULES = Refusal(
    "no-require",
    "`{name}` is not available: a script is one module, with nothing to load beside it. Put helpers into the same "
    "source, and reach everything else through ctx, as in `await ctx.call('tool', input)`.",
)
EXPORTS = Refusal("no-require", "`{name}` is not available: a script is an ES module. Write `export default` instead.")
PROCESS = Refusal(
    "no-process", "`{name}` is not available: a script runs in no process of its own. Take what it needs from `input`."
)
BUFFER = Refusal(
    "no-process", "`{name}` is not available. Write `new TextEncoder().encode(text)` for bytes, or a `Uint8Array`."
)

REFUSED: dict[str, Refusal] = {
    "Date": CLOCK,
    "Temporal": CLOCK,
    "performance": CLOCK,
    "crypto": RANDOM,
    **dict.fromkeys(("setTimeout", "setInterval", "setImmediate", "requestAnimationFrame"), TIMER),
    **dict.fromkeys(("clearTimeout", "clearInterval", "clearImmediate", "cancelAnimationFrame"), CANCEL_TIMER),
    **dict.fromkeys(("fetch", "XMLHttpRequest", "WebSocket", "EventSource"), NETWORK),
    **dict.fromkeys(("WeakRef", "FinalizationRegistry"), COLLECTOR),
    **dict.fromkeys(("Atomics", "SharedArrayBuffer"), SHARED),
    "eval": EVAL,
    "Function": FUNCTION,
    **dict.fromkeys(("globalThis", "window", "self", "global"), GLOBAL_OBJECT),
    "require": MODULES,
    **dict.fromkeys(("module", "exports"), EXPORTS),
    "process": PROCESS,
    "Buffer": BUFFER,
}
