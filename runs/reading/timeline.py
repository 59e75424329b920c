"""When a run did what: a bar for the run and for each of its calls, split into queued, running and parked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from runs.conf import conf
from runs.lifecycle import TERMINAL, Status
from runs.models import Run
from runs.reading.axis import Axis, Span, merged, minus
from runs.reading.calls import CtxCall


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a bar; `state` is queued, running or parked. Times in ms since the epoch."""

    state: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Bar:
    """`call` is None for the run itself; `child` is there for a child that is (still) one of the run's."""

    call: CtxCall | None
    child: Run | None
    stretches: list[Stretch]
    ended: bool

    @property
    def start(self) -> int:
        return self.stretches[0].start

    @property
    def end(self) -> int:
        return max(stretch.end for stretch in self.stretches)

    def spent(self, state: str) -> int:
        """Milliseconds in a state."""
        return sum(stretch.end - stretch.start for stretch in self.stretches if stretch.state == state)


@dataclass(frozen=True, slots=True)
class Timeline:
    """`bars`: the run first, then its calls in the order in which they were made."""

    bars: list[Bar]
    axis: Axis


def timeline(
    run: Run, calls: list[CtxCall], children: Mapping[str, Run], now: int, *, partial: bool = False
) -> Timeline:
    """`now` in ms since the epoch: what is still open lasts until then. `partial`: there were calls before these, so
    that the run's own bar begins with the first of them."""
    end = _ms(run.finished_at) or now
    bars = [_call_bar(call, children.get(call.child_id or ""), end) for call in calls]
    first = min((bar.start for bar in bars), default=end) if partial else _ms(run.created_at) or end
    bars.insert(0, _run_bar(run, calls, first, end))
    edges = [edge for bar in bars for stretch in bar.stretches for edge in (stretch.start, stretch.end)]
    return Timeline(bars, Axis.over(edges))


def _run_bar(run: Run, calls: list[CtxCall], first: int, end: int) -> Bar:
    """A journal does not say when a run was parked, but when it had nothing to do but wait: for longer than it would
    stay with its worker, it was parked; and what was due and not yet seen, was queued."""
    begun = max(first, min(end, _ms(run.started_at) or end))
    whole = [(begun, end)]
    busy = [span for call in calls for span in _busy(call, end)]
    still = minus(merged(span for call in calls for span in _still(call, end)), busy)
    late = minus(merged(span for call in calls for span in _late(call, end)), busy)
    least = conf().resident_sleep_ms
    parked = [(start, stop) for start, stop in minus(still, late) if stop - start > least]
    if run.status == Status.WAITING:
        since = max(begun, min(end, _ms(run.updated_at) or end))
        parked, late = merged([*parked, (since, end)]), minus(late, [(since, end)])
    if run.status == Status.QUEUED:
        late = merged([*late, (max(first, min(end, _ms(run.queued_at) or end)), end)])
        parked = minus(parked, late)
    running = minus(minus(whole, parked), late)
    stretches = [Stretch("queued", first, begun)] if begun > first else []
    stretches += [Stretch("parked", *span) for span in parked]
    stretches += [Stretch("running", *span) for span in running]
    stretches += [Stretch("queued", *span) for span in minus(late, [(first, begun)])]
    stretches.sort(key=lambda stretch: stretch.start)
    return Bar(None, None, stretches or [Stretch("running", first, end)], run.status in TERMINAL)


def _call_bar(call: CtxCall, child: Run | None, end: int) -> Bar:
    stop = call.ended if call.ended is not None else max(end, call.began)
    if child is not None and call.kept_from is None:
        return Bar(call, child, _child_stretches(call, child, stop), call.ended is not None)
    stretches = [Stretch("running", *span) for span in _busy(call, end)]
    late = _late(call, end)
    stretches += [Stretch("parked", *span) for span in minus(_still(call, end), late)]
    stretches += [Stretch("queued", *span) for span in late]
    stretches.sort(key=lambda stretch: stretch.start)
    return Bar(call, None, stretches or [Stretch("running", call.began, stop)], call.ended is not None)


def _child_stretches(call: CtxCall, child: Run, stop: int) -> list[Stretch]:
    """From the child's row: its own journal, which tells when it was parked before, is on its own page."""
    begun = min(stop, max(call.began, _ms(child.started_at) or stop))
    done = min(stop, max(begun, _ms(child.finished_at) or stop))
    stretches = [Stretch("queued", call.began, begun)] if begun > call.began else []
    still = {Status.WAITING: ("parked", child.updated_at), Status.QUEUED: ("queued", child.queued_at)}
    state, since = still.get(Status(child.status), ("running", None))
    turned = min(done, max(begun, _ms(since) or done))
    if turned > begun:
        stretches.append(Stretch("running", begun, turned))
    if done > turned:
        stretches.append(Stretch(state, turned, done))
    if stop > done:
        stretches.append(Stretch("queued", done, stop))
    return stretches or [Stretch("running", call.began, stop)]


def _busy(call: CtxCall, end: int) -> list[Span]:
    """When a tool was at work for the call."""
    if call.op != "tool" or call.kept_from is not None:
        return []
    attempts = [(attempt.began, attempt.ended if attempt.ended is not None else end) for attempt in call.attempts]
    return merged((start, max(start, stop)) for start, stop in attempts)


def _still(call: CtxCall, end: int) -> list[Span]:
    """When the call was out and needed no worker: sleeps, waits, children, and pauses between attempts."""
    stop = call.ended if call.ended is not None else max(end, call.began)
    return minus([(call.began, stop)], _busy(call, end))


def _late(call: CtxCall, end: int) -> list[Span]:
    """From when a sleep or a timeout was due to when a worker came to it."""
    if call.due is None or call.op == "tool" or call.status == "answered":
        return []
    stop = call.ended if call.ended is not None else end
    return [(call.due, stop)] if call.began <= call.due < stop else []


def _ms(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)
