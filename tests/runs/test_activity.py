"""The journal as a story: one line per entry, whatever a script puts into it."""

import pytest

from journal import bodies
from journal.entries import Entry, Kind
from runs.activity import brief, line, story

WAKE = 1_700_000_000_000
ERROR = {"code": "http-failed", "message": "no answer", "retryable": True, "detail": None}
STORIES = [
    (bodies.call(3, "echo", {"v": 1}, 2, "Saying one"), 'call 3: Saying one (echo {"v": 1})'),
    (bodies.call(3, "echo", {"v": 1}, 2, None), 'call 3: echo {"v": 1}'),
    (bodies.result(3, "k", True, [1]), "call 3 succeeded: [1]"),
    (bodies.result(3, "k", False, ERROR, attempts=3), "call 3 failed (attempt 3): http-failed: no answer"),
    (bodies.result(3, "k", True, 1, reexecuted=True), "call 3 succeeded (executed again): 1"),
    (bodies.result(3, "k", True, 1) | {"late": True}, "call 3 succeeded (after the run had ended): 1"),
    (bodies.timer(1, 90_000, WAKE, 4), "call 1: sleeps 1 min 30 s, until 2023-11-14 22:13 UTC"),
    (
        bodies.backoff(3, "k", WAKE, 1, ERROR),
        "call 3 failed at attempt 1: http-failed: no answer; again at 2023-11-14 22:13 UTC",
    ),
    (bodies.fired(1, "k", 3), "call 1: awake again"),
    (bodies.fired(1, "k", 3000), "call 1: awake again, 3 s late"),
    (bodies.fired(3, "k", 0, 1), "call 3: attempt 2"),
    (bodies.now(1, WAKE), "read the clock: 2023-11-14T22:13:20.000+00:00"),
    (bodies.log(1, "warn", "odd", {"n": 1}), 'warn: odd {"n": 1}'),
    (bodies.notice("warn", "nearly full"), "warn: nearly full"),
    (bodies.step(1, "s1", "Fetch", "start", True, None), "step Fetch: started"),
    (bodies.step(1, "s1", "Fetch", "end", True, None), "step Fetch: done"),
    (bodies.step(1, "s1", "Fetch", "end", False, "no"), "step Fetch: failed: no"),
    (bodies.plan(1, {"title": "All", "steps": [{"label": "A"}, {"label": "B"}]}), "plan All: A, B"),
    (bodies.delegate(2, {"script": "x", "input": 1}, "r1", 3, None), "call 2: child a script r1 with 1"),
    (bodies.delegate(2, {"agent": "llm", "input": 1}, None, 3, "Ask"), "call 2: child Ask (not made) with 1"),
    (
        bodies.delegate(2, {"script": "x", "input": 1}, "r1", 3, None, {"id": "s1", "label": "Fetch\n"}),
        "call 2 in step Fetch\\n: child a script r1 with 1",
    ),
    (bodies.wait(1, "w1", {"signal": "ok"}, None, None, "sign-off", 2), "call 1: waits for sign-off as w1"),
    (bodies.wait(1, "w1", {}, 5, WAKE, None, 2), "call 1: waits for any signal, until 2023-11-14 22:13 UTC as w1"),
    (bodies.event(1, "k", "w1", {"signal": "ok", "payload": {"by": 1}}), 'call 1: signal ok {"by": 1}'),
    (bodies.event(1, "k", "w1", None), "call 1: nobody answered in time"),
    ({"kind": "other", "callSeq": 1, "label": "x"}, 'other {"label": "x"}'),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words"), STORIES)
def test_each_kind_of_entry_tells_what_happened(body: bodies.Body, words: str) -> None:
    assert story(body) == words


def test_every_kind_is_told() -> None:
    told = {body["kind"] for body, _ in STORIES}
    assert told == {*Kind.values, "other"}


def test_a_line_begins_with_seq_and_time() -> None:
    assert line(Entry.of(12, WAKE + 5, bodies.now(1, WAKE))).startswith("  12  22:13:20.005  read the clock")


def test_a_line_stays_one_line_without_terminal_escapes_and_within_bounds() -> None:
    told = story(bodies.log(1, "info", "a\nb\r\x1b[2J\u2028\ud800" + "x" * 10_000, None))
    assert told.isprintable()
    assert len(told) < 500
    assert "a\\nb\\r\\x1b[2J\\u2028\\ud800" in told
    assert len(brief({"v": "x" * 10_000})) <= 110
