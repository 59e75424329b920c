"""When a failed call is tried again. The options are the script's: maxAttempts, backoffMs, maxBackoffMs."""

from typing import Any


def pause_ms(options: dict[str, Any] | None, attempts: int, error: dict[str, Any]) -> float | None:
    """ms to wait after the `attempts`-th failed attempt (doubling up to maxBackoffMs), None when that was the last."""
    retry = (options or {}).get("retry")
    if not retry or not error.get("retryable") or attempts >= retry["maxAttempts"]:
        return None
    return float(min(retry["backoffMs"] * 2 ** min(attempts - 1, 40), retry["maxBackoffMs"]))
