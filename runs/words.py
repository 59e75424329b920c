"""Where a run stands, as a person would say it: the same words in the terminal, with times in UTC, and on the pages."""

from datetime import UTC, datetime
from typing import Any

from runs.lifecycle import Status
from runs.models import Run
from runs.times import from_ms

Phrase = list[str | datetime]  # words with the moments among them, which a page shows in the reader's time zone

# One sign per state, so that it is told apart without colour.
MARKS: dict[str, str] = {
    Status.QUEUED: "○",
    Status.RUNNING: "▶",
    Status.WAITING: "◷",
    Status.SUCCEEDED: "✓",
    Status.FAILED: "✕",
    Status.CANCELED: "⊘",
    Status.IMPORTED: "⇩",
}


def status_words(run: Run, now: datetime | None = None) -> str:
    """One line: "Sleeping until 14:05:10 UTC", "Failed: workflow-error", "Succeeded in 5.2 s". Asks the database
    nothing, so that it fits a list."""
    now = now or datetime.now(UTC)
    return "".join(part if isinstance(part, str) else moment(part, now) for part in status_phrase(run, now))


def status_phrase(run: Run, now: datetime | None = None) -> Phrase:
    """The parts of `status_words`: ["Sleeping until ", datetime]."""
    now = now or datetime.now(UTC)
    match run.status:
        case Status.QUEUED:
            return _queued(run)
        case Status.RUNNING:
            return _running(run, now)
        case Status.WAITING:
            return _waiting(run, now)
        case Status.FAILED:
            return [f"Failed: {run.error_code}"]
        case Status.IMPORTED:
            return ["Imported copy"]
        case Status.SUCCEEDED if run.successor:
            return [f"Continued as {run.successor}"]
    return [f"{Status(run.status).label.partition(':')[0]}{_took(run)}"]


def waits(run: Run, now: datetime | None = None) -> list[str]:
    """What a parked run waits for, a line for each open timer and retry, the next one first; [] for any other."""
    now = now or datetime.now(UTC)
    parts = sorted(run.wait or [], key=lambda part: part.get("wakeAt") or 0)
    return [f"{f'call {n}' if (n := part['callSeq']) else 'the run'}: {_wait(part, now)}" for part in parts]


def moment(at: datetime, now: datetime | None = None) -> str:
    """The time of day for today, date and time for any other day."""
    at, now = at.astimezone(UTC), (now or datetime.now(UTC)).astimezone(UTC)
    return f"{at:%H:%M:%S} UTC" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M} UTC"


def span(seconds: float) -> str:
    """A length of time in its two largest units: "20 ms", "1.5 s", "5 min 10 s", "3 days 4 h"."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds % 1 >= 0.05 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} days {hours} h" if hours else f"{days} days"


def _queued(run: Run) -> Phrase:
    if run.held_back:
        key = "".join(character if character.isprintable() else " " for character in run.concurrency_key or "")
        return [f"Queued: waits for a place among {run.concurrency_limit} of key {key}"]
    return ["Queued to go on since " if run.started_at else "Queued since ", run.queued_at]


def _running(run: Run, now: datetime) -> Phrase:
    if run.cancel_requested_at:
        return ["Canceling since ", run.cancel_requested_at]
    if run.lease_until and run.lease_until < now:
        silent = "Running, but its worker has not answered since "
        return [silent, run.lease_until, "; the clock queues it again"]
    return ["Running since ", run.started_at] if run.started_at else ["Running"]


def _waiting(run: Run, now: datetime) -> Phrase:
    named = [part for part in run.wait or [] if part.get("kind") == "wait"]
    if named:
        label = named[0].get("label") or named[0]["match"].get("signal") or "a signal"
        more = f" and {len(named) - 1} more" if len(named) > 1 else ""
        return [f"Waiting for {label}{more}", *_until(" until ", run.wake_at)]
    if children := sum(part.get("kind") == "child" for part in run.wait or []):
        return [f"Waiting for {children} child{'ren' if children > 1 else ''}", *_until(", or until ", run.wake_at)]
    if run.wake_at is None:
        return ["Waiting"]
    if run.wake_at < now:
        return ["Due since ", run.wake_at, "; the clock wakes it"]
    first: dict[str, Any] = min(run.wait or [{}], key=lambda part: part.get("wakeAt") or 0)
    if first.get("kind") == "attempt":
        return [f"Failed: {run.error_code}; attempt {first['attempt']} of {run.max_attempts} at ", run.wake_at]
    if first.get("kind") == "retry":
        return [f"Waiting to try call {first['callSeq']} again at ", run.wake_at]
    return ["Sleeping until ", run.wake_at]


def _until(words: str, at: datetime | None) -> Phrase:
    return [] if at is None else [words, at]


def _wait(part: dict[str, Any], now: datetime) -> str:
    at = moment(from_ms(part["wakeAt"]), now) if part.get("wakeAt") else ""
    match part["kind"]:
        case "attempt":
            return f"is tried again at {at}"
        case "retry":
            return f"tries again at {at}"
        case "wait":
            label = f" ({part['label']})" if part.get("label") else ""
            signal = part["match"].get("signal")
            what = f"the signal {signal}" if signal else "any signal"
            return f"waits for {what}{label} as {part['waitId']}{f', until {at}' if at else ''}"
        case "child":
            return "waits for its child"
    return f"sleeps until {at}"


def _took(run: Run) -> str:
    if not (run.started_at and run.finished_at):
        return ""
    took = span(max(0.0, (run.finished_at - run.started_at).total_seconds()))
    return f" in {took}" if run.status == Status.SUCCEEDED else f" after {took}"
