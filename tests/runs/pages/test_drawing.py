"""The timeline as percent and words."""

from runs.pages.drawing import call_state, call_words, drawn
from runs.reading.axis import Axis
from runs.reading.calls import CtxCall
from runs.reading.timeline import Bar, Stretch, Timeline

DAY = 86_400_000


def call(op: str, status: str, began: int = 0, ended: int | None = None) -> CtxCall:
    return CtxCall(1, 1, op, "what", {}, began, status=status, ended=ended)


def test_a_call_says_what_came_of_it() -> None:
    assert call_words(call("tool", "succeeded", 0, 1500)) == "succeeded in 1.5 s"
    assert call_words(call("tool", "failed", 0, 20)) == "failed after 20 ms"
    assert call_words(call("sleep", "open")) == "sleeping"
    assert call_words(call("wait", "open")) == "waiting"
    assert call_words(call("tool", "pausing")) == "waits to be tried again"
    assert call_words(call("wait", "timed-out", 0, 5000)) == "nobody answered in time after 5 s"


def test_a_call_that_was_out_when_its_run_ended_does_not_seem_to_go_on() -> None:
    for op in ("tool", "sleep", "wait", "agent"):
        assert call_words(call(op, "open"), over=True) == "not finished when the run ended"
        assert call_state(call(op, "open"), over=True) == "canceled"
    assert call_words(call("tool", "left", 0, 5000)) == "left behind after 5 s"
    assert call_state(call("tool", "failed", 0, 1), over=True) == "failed"


def test_bars_lie_on_the_axis_and_folds_are_named() -> None:
    stretches = [
        Stretch("running", 0, 2000),
        Stretch("parked", 2000, 2000 + DAY),
        Stretch("running", 2000 + DAY, 4000 + DAY),
    ]
    line = Timeline([Bar(None, None, stretches, ended=True)], Axis.over([0, 2000, 2000 + DAY, 4000 + DAY]))
    told = drawn(line)
    assert [(s["state"], s["x"], s["width"]) for s in told["bars"][0]["stretches"]] == [
        ("running", 0, 47.5),
        ("parked", 47.5, 5.0),
        ("running", 52.5, 47.5),
    ]
    assert [fold["words"] for fold in told["folds"]] == ["24 h"]
    assert told["ticks"][0]["words"] == "+0 ms"
    assert told["bars"][0]["parts"] == "running 4 s, parked 24 h"


def test_a_short_stretch_is_still_to_be_seen_and_stays_on_the_line() -> None:
    bar = Bar(call("tool", "succeeded", 9999, 10_000), None, [Stretch("running", 9999, 10_000)], ended=True)
    (stretch,) = drawn(Timeline([bar], Axis.over([0, 10_000])))["bars"][0]["stretches"]
    assert stretch["width"] >= 0.3
    assert stretch["x"] + stretch["width"] <= 100.001


def test_the_moments_of_a_queue_are_words_and_no_mark() -> None:
    stretches = [Stretch("parked", 0, 9990), Stretch("queued", 9990, 10_000)]
    bar = drawn(Timeline([Bar(None, None, stretches, ended=True)], Axis.over([0, 10_000])))["bars"][0]
    assert [stretch["state"] for stretch in bar["stretches"]] == ["parked"]
    assert bar["spent"]["queued"] == "10 ms"


def test_a_child_that_is_out_is_running() -> None:
    assert call_words(call("agent", "open")) == "running"
