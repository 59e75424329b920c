"""One QuickJS VM with one script in it. Belongs to the thread that made it, lives for one advance of one run.

The time limit of the engine forbids JavaScript to call Python, so effects are pulled: the host drains messages and
delivers results through functions that it took from the realm before the script was loaded.

Parsing the prelude is most of what a fresh realm costs, so prelude/*.js is what every script needs, joined into one
function, and prelude/lazy/*.js is handed over as text and compiled at its first use (see prelude/lazy.js). The engine
reads a parenthesis, an array or an object twice, to see whether it is a pattern: nothing large stands in one.
"""

import json
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

import quickjs

from runs.realm.errors import FuelExhausted, OutOfMemory, ScriptFault, SliceCutShort
from runs.realm.frames import first_line
from runs.realm.protocol import Leftovers, Limits, Message, Table, messages

REALM_VERSION = 1
LINE_OFFSET = 2000  # the binding names every unit <input>: the script's lines start past those of the prelude
_EAGER = ("intrinsics", "lazy", "values", "errors", "effects", "time", "calls", "kit", "seal")
_FOLDER = Path(__file__).parent / "prelude"
_LOADER = "import main from '<input>'; __take(main);"
_TABLE_ROOM = 8  # bytes of realm memory allowed on top of the limit for each character of the table
_LOOK_SECONDS = 0.02  # how often a slice of many jobs looks at its fuel and memory
# Weighing the memory walks all of it, so it may take this part of the time; more of it once half of the limit is used.
_WEIGHING_SHARE, _WEIGHING_SHARE_MOST = 1 / 10, 1 / 4
_MEMORY_ROOM = 16 * 1024 * 1024  # at least so much more than the limit is the engine's own
_TABLE_ROOM_MAX = 256 * 1024 * 1024
_DELIVERIES = 256  # of one `replay_next`


@cache
def _prelude() -> str:
    """The eager prelude: an expression that gives the function which takes the lazy parts and hands out the host's."""
    parts = "\n".join(_code(_FOLDER / f"{part}.js") for part in _EAGER)
    text = f'0, function () {{ "use strict"; const LINE_OFFSET = {LINE_OFFSET};\n{parts}\n}}()'
    assert text.count("\n") < LINE_OFFSET
    return text


@cache
def _lazy_parts() -> tuple[str, ...]:
    """Name, text, name, text ... Handed over as arguments, which costs a hundredth of parsing them as literals."""
    return tuple(text for path in sorted((_FOLDER / "lazy").glob("*.js")) for text in (path.stem, f"0, {_code(path)}"))


def _code(path: Path) -> str:
    """Without indentation and whole-line comments, which the engine would read again for every realm."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


class Realm:
    """Load a script, then `start`, then `replay`, then any number of `settle`; after each, `drain` the messages."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._fuel = limits.fuel_ms / 1000
        self._scripts: list[str] = []  # of children; a number is a place in it
        self._numbers: dict[str, int] = {}
        self._memory = 0  # bytes; told when a script is loaded
        self._weigh_at = 0.0  # in the CPU time of the thread
        self.cpu = 0.0  # seconds of this thread's CPU spent in slices
        self.slice_began: float | None = None  # monotonic; read by the watchdog
        self._slice_cpu_began = 0.0
        self._ended = 0.0, 0.0  # CPU of the thread and of the process when the last slice ended
        self._thread = threading.get_ident()
        context = self._context = quickjs.Context()
        context.set_max_stack_size(limits.stack_bytes)
        self._engine_limit = self._fuel * limits.fuel_factor
        context.set_time_limit(self._engine_limit)
        host = context.eval(_prelude())(*_lazy_parts())
        self._load, self._arm, self._watch, self._start = host("load"), host("arm"), host("watch"), host("start")
        self._settle, self._next, self._drain = host("settle"), host("next"), host("drain")
        self._divergence, self._line, self._live = host("divergence"), host("line"), host("live")
        self._leftovers = host("leftovers")

    def load(self, source: str, table: Table, *, input: Any, run_id: str, now: int) -> None:
        """Hand over the table and evaluate the script's module; raises `ScriptFault` when it does not load."""
        groups = [self._numbered(group) for group in table.groups]
        text = json.dumps(
            {
                "runId": run_id,
                "input": input,
                "now": now,
                "resultMaxBytes": self._limits.result_max_bytes,
                "callSeq": table.call_seq,
                "scripts": self._scripts,
                "groups": groups,
                "completions": table.completions,
                "lenient": table.lenient,
            },
            separators=(",", ":"),
        )
        self._memory = self._limits.memory_bytes + min(_TABLE_ROOM * len(text), _TABLE_ROOM_MAX)
        # What the engine refuses is an exception of the script, which a promise swallows: ours comes first.
        self._context.set_memory_limit(self._memory + max(self._memory // 2, _MEMORY_ROOM))
        self._slice(self._load, text)
        self._slice(self._context.module, "\n" * LINE_OFFSET + _readable(source))
        self._call(self._arm, True)
        loaded = self._slice(self._context.module, _LOADER)
        self._call(self._arm, False)
        self._slice(self._watch, loaded)

    def _numbered(self, group: list[Any]) -> list[Any]:
        """The script of a recorded child as its number, by which the realm knows it."""
        if group[0] != "agent" or "script" not in group[-1]:
            return group
        text = group[-1]["script"]
        number = self._numbers.setdefault(text, len(self._numbers))
        if number == len(self._scripts):
            self._scripts.append(text)
        return [*group[:-1], group[-1] | {"script": number}]

    def start(self) -> None:
        """Call the default export and run until the realm is quiet."""
        self._slice(self._start)

    def replay_next(self) -> bool:
        """Deliver recorded completions, a slice each; False when none is left or the replay diverged, True to go on."""
        chained, began = False, self.cpu
        for _ in range(_DELIVERIES):
            if self._slice(self._next, chained=chained) != 1:
                return False
            if self.cpu - began > self._fuel:  # the caller may want to stop
                return True
            chained = True
        return True

    def settle(self, call_seq: int, ok: bool, value: Any, now: int) -> None:
        """Deliver a result, or the facts of a failure, and run until quiet. `now`: ms since the epoch."""
        # The binding cuts an int to 32 bits, so the time goes as a float.
        self._slice(self._settle, call_seq, ok, json.dumps(value, separators=(",", ":")), float(now))

    def drain(self) -> list[Message]:
        """What the script asked for since the last drain, in order."""
        return messages(self._call(self._drain), self._scripts)

    def divergence(self) -> dict[str, Any] | None:
        """Where replay and journal part ({asked, line, recorded: {callSeq, key} or None}), or None when they agree."""
        text = self._call(self._divergence)
        return json.loads(text) if text else None

    def leftovers(self) -> Leftovers:
        """Where a lenient replay has come to."""
        return Leftovers(**json.loads(self._call(self._leftovers)))

    def live(self) -> set[int]:
        """The callSeqs of open waits that somebody still awaits."""
        return set(json.loads(self._call(self._live)))

    def line(self) -> int:
        """The line of the newest effect: where the script was last seen."""
        return int(self._line())

    def slice_cpu(self) -> float | None:
        """Seconds of CPU of the realm's thread in this slice, asked from any thread; None where that cannot be told."""
        if self.slice_began is None or not hasattr(time, "pthread_getcpuclockid"):
            return None
        return time.clock_gettime(time.pthread_getcpuclockid(self._thread)) - self._slice_cpu_began

    def _call(self, function: Any, *args: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*args)
        except quickjs.JSException as error:
            raise self._fault(error, time.thread_time() - began) from None

    def _slice(self, function: Any, *args: Any, chained: bool = False) -> Any:
        """Call into the realm and run its jobs until none is left, within the fuel of one slice. A chained slice begins
        where the last one ended: the two clocks cost as much as a small slice."""
        began, process_began = self._ended if chained else (time.thread_time(), time.process_time())
        self._slice_cpu_began = began
        self.slice_began = time.monotonic()
        try:
            result = function(*args)
            job, wall = self._context.execute_pending_job, time.perf_counter
            looked = wall()
            while job():  # the engine's limit is for one job; a slice may have many
                if wall() - looked > _LOOK_SECONDS:
                    self._look(began)
                    looked = wall()
        except quickjs.JSException as error:
            raise self._fault(error, time.thread_time() - began) from None
        finally:
            self.slice_began = None
            ended, process_ended = self._ended = time.thread_time(), time.process_time()
            used = ended - began
            self.cpu += used
        # An async function turns the engine's interrupt into a rejection, which a script may swallow: go by the clocks.
        if used >= self._fuel * 0.95:
            raise FuelExhausted
        if process_ended - process_began >= self._engine_limit * 0.95:
            raise SliceCutShort
        return result

    def _look(self, began: float) -> None:
        """At the fuel and the memory of a slice that lasts."""
        weighing = time.thread_time()
        if weighing - began > self._fuel:
            raise FuelExhausted
        if weighing < self._weigh_at:
            return
        used = self._context.memory()["malloc_size"]
        if used > self._memory:
            raise OutOfMemory
        ended = time.thread_time()
        share = _WEIGHING_SHARE if used < self._memory / 2 else _WEIGHING_SHARE_MOST
        self._weigh_at = ended + (ended - weighing) / share

    def _fault(self, error: Exception, used: float) -> Exception:
        """The engine's exception as one of ours. It names an exhausted memory `null` when none is left for words."""
        text = str(error)
        if text.startswith("InternalError: interrupted"):
            return FuelExhausted() if used >= self._fuel * 0.9 else SliceCutShort()
        if text.startswith(("null", "InternalError: out of memory", "InternalError: string too long")):
            return OutOfMemory()
        name, _, message = text.partition("\n")[0].partition(": ")
        return ScriptFault(name, message or text.strip(), first_line(text))


def _readable(source: str) -> str:
    """The source, which the engine takes as UTF-8 without NUL; raises `ScriptFault` where it cannot be that."""
    for number, line in enumerate(source.split("\n"), 1):
        if "\0" in line:
            raise ScriptFault("SyntaxError", "the source has a NUL character; write \\0", number)
        try:
            line.encode()
        except UnicodeEncodeError:
            raise ScriptFault("SyntaxError", "the source has half of a surrogate pair; write \\uXXXX", number) from None
    return source
