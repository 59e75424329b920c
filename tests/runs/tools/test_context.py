import logging
import math
from threading import Event

import pytest

from runs.tools import ToolContext, ToolError


def test_the_token_is_of_the_call_and_not_of_the_attempt() -> None:
    first, second = ToolContext("r1", 3, attempt=1), ToolContext("r1", 3, attempt=2)
    assert first.token == second.token == "r1:3"
    assert ToolContext("r1", 4).token != first.token


def test_a_cancel_of_the_host_is_seen_at_once() -> None:
    cancel = Event()
    context = ToolContext("r1", 3, cancel=cancel)
    context.raise_if_cancelled()
    assert not context.cancelled
    cancel.set()
    assert context.cancelled
    with pytest.raises(ToolError) as caught:
        context.raise_if_cancelled()
    assert caught.value.code == "canceled"


def test_progress_reaches_the_host() -> None:
    heard = []
    context = ToolContext("r1", 3, report=lambda fraction, label: heard.append((fraction, label)))
    context.progress(0)
    context.progress(1.0, "done")
    context.progress(label="x" * 500)
    assert heard == [(0, None), (1.0, "done"), (None, "x" * 200)]


@pytest.mark.parametrize("fraction", [-0.1, 1.01, 50, math.nan, math.inf, "0.5", True])
def test_a_fraction_outside_of_0_to_1_is_refused(fraction: object) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        ToolContext("r1", 3).progress(fraction)  # type: ignore[arg-type]


def test_a_listener_that_fails_costs_the_call_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(fraction: float | None, label: str | None) -> None:
        raise ConnectionError("the channel layer is away")

    with caplog.at_level(logging.ERROR, "runs.tools"):
        ToolContext("r1", 3, report=broken).progress(0.5)
    assert "r1:3" in caplog.text
