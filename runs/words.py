"""Where a run stands, as a person would say it: the same words in the terminal and on the pages. Times are in UTC."""

from datetime import UTC, datetime
from typing import Any

from runs.lifecycle import Status
from runs.models import Run

# One sign per state, so that it is told apart without colour.
MARKS: dict[str, str] = {
    Status.QUEUED: "○",
    Status.RUNNING: "▶",
    Status.WAITING: "◷",
    Status.SUCCEEDED: "✓",
    Status.FAILED: "✕",
    Status.CANCELED: "⊘",
}


def status_words(run: Run, now: datetime | None = None) -> str:
    """One line: "Sleeping until 14:05:10 UTC", "Failed: workflow-error", "Succeeded in 5.2 s"."""
    now = now or datetime.now(UTC)
    match run.status:
        case Status.QUEUED:
            return _queued(run, now)
        case Status.RUNNING:
            return _running(run, now)
        case Status.WAITING:
            return _waiting(run, now)
        case Status.FAILED:
            return f"Failed: {run.error_code}"
    return f"{Status(run.status).label.partition(':')[0]}{_took(run)}"


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


def from_ms(ms: int) -> datetime:
    """The moment of an entry's `at` or `wakeAt`, ms since the epoch."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def _queued(run: Run, now: datetime) -> str:
    if run.held_back:
        key = "".join(character if character.isprintable() else " " for character in run.concurrency_key or "")
        return f"Queued: waits for a place among {run.concurrency_limit} of key {key}"
    return ("Queued to go on" if run.started_at else "Queued") + f" since {moment(run.queued_at, now)}"


def _running(run: Run, now: datetime) -> str:
    if run.cancel_requested_at:
        return f"Canceling since {moment(run.cancel_requested_at, now)}"
    if run.lease_until and run.lease_until < now:
        return (
            f"Running, but its worker has not answered since {moment(run.lease_until, now)}; the clock queues it again"
        )
    return f"Running since {moment(run.started_at, now)}" if run.started_at else "Running"


def _waiting(run: Run, now: datetime) -> str:
    named = [part for part in run.wait or [] if part.get("kind") == "wait"]
    if named:
        label = named[0].get("label") or named[0]["match"].get("signal") or "a signal"
        more = f" and {len(named) - 1} more" if len(named) > 1 else ""
        until = f" until {moment(run.wake_at, now)}" if run.wake_at else ""
        return f"Waiting for {label}{more}{until}"
    if children := sum(part.get("kind") == "child" for part in run.wait or []):
        until = f", or until {moment(run.wake_at, now)}" if run.wake_at else ""
        return f"Waiting for {children} child{'ren' if children > 1 else ''}{until}"
    if run.wake_at is None:
        return "Waiting"
    if run.wake_at < now:
        return f"Due since {moment(run.wake_at, now)}; the clock wakes it"
    first: dict[str, Any] = min(run.wait or [{}], key=lambda part: part.get("wakeAt") or 0)
    if first.get("kind") == "attempt":
        return (
            f"Failed: {run.error_code}; attempt {first['attempt']} of {run.max_attempts} at {moment(run.wake_at, now)}"
        )
    if first.get("kind") == "retry":
        return f"Waiting to try call {first['callSeq']} again at {moment(run.wake_at, now)}"
    return f"Sleeping until {moment(run.wake_at, now)}"


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
