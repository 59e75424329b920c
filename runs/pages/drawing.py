"""The timeline in percent and words: what its template draws, and what it says to who cannot see it."""

from typing import Any

from runs.reading.calls import CtxCall
from runs.reading.timeline import Bar, Timeline
from runs.words import from_ms, span

TICKS = 5
LEAST = 0.3  # percent: a stretch that short is still to be seen
NAMES = {"queued": "queued", "running": "running", "parked": "parked"}
# The status of a call as the status of a run that has the same colour.
STATES = {
    "open": "running",
    "pausing": "waiting",
    "succeeded": "succeeded",
    "elapsed": "succeeded",
    "answered": "succeeded",
    "failed": "failed",
    "timed-out": "waiting",
}
WORDS = {
    "open": "out",
    "pausing": "waits to be tried again",
    "succeeded": "succeeded",
    "elapsed": "over",
    "answered": "answered",
    "failed": "failed",
    "timed-out": "nobody answered in time",
}


def call_words(call: CtxCall) -> str:
    """What came of a call, in words: "failed after 1.5 s"."""
    said = (
        {"sleep": "sleeping", "wait": "waiting", "agent": "running"}.get(call.op, "out")
        if call.status == "open"
        else ""
    )
    said = said or WORDS[call.status]
    took = call.took_ms
    return said if took is None else f"{said} {'in' if call.status == 'succeeded' else 'after'} {span(took / 1000)}"


def drawn(line: Timeline) -> dict[str, Any]:
    """`bars` with label, stretches (state, x and width in percent) and words; `folds`; `ticks` (x, words)."""
    start = line.axis.segments[0].start
    ticks = []
    for percent in (100 * tick / TICKS for tick in range(TICKS + 1)):
        segment = next((s for s in line.axis.segments if s.left <= percent <= s.right and not s.folded), None)
        if segment is not None and segment.right > segment.left:
            ms = segment.start + (percent - segment.left) / (segment.right - segment.left) * segment.ms
            ticks.append({"x": percent, "words": f"+{span((ms - start) / 1000)}", "last": percent == 100})
    return {
        "bars": [_bar(bar, line) for bar in line.bars],
        "folds": [
            {"x": fold.left, "width": fold.right - fold.left, "middle": fold.middle, "words": span(fold.ms / 1000)}
            for fold in line.axis.folds
        ],
        "ticks": ticks,
        "began": from_ms(start),
        "ended": from_ms(line.axis.segments[-1].end),
    }


def _bar(bar: Bar, line: Timeline) -> dict[str, Any]:
    stretches = []
    for stretch in bar.stretches:
        x = line.axis.at(stretch.start)
        width = max(LEAST, line.axis.at(stretch.end) - x)
        stretches.append({"state": stretch.state, "x": min(x, 100 - LEAST), "width": width})
    spent = {state: span(ms / 1000) if (ms := bar.spent(state)) else "" for state in NAMES}
    return {
        "bar": bar,
        "call": bar.call,
        "began": from_ms(bar.start),
        "took": span((bar.end - bar.start) / 1000),
        "spent": spent,
        "parts": ", ".join(f"{state} {words}" for state, words in spent.items() if words),
        "words": call_words(bar.call) if bar.call else "",
        "state": STATES.get(bar.call.status, "running") if bar.call else "",
        "stretches": stretches,
    }
