"""A journal entry as a row: what happened in words, and its fields as JSON whatever a script put into them."""

import json
from typing import Any

import pytest

from journal import bodies, codec
from journal.entries import Kind
from journal.models import RunJournal
from runs.reading.rows import FILTERS, entry_row


def entry(body: dict[str, Any], seq: int = 7, **fields: Any) -> RunJournal:
    data = codec.encode(body)
    return RunJournal(
        run_id="r", seq=seq, call_seq=body["callSeq"], kind=body["kind"], at=1_700_000_000_000, entry=data, **fields
    )


def test_a_row_says_what_happened_and_holds_the_fields() -> None:
    row = entry_row(entry(bodies.call(3, "echo", {"v": 1}, 42, "Saying one"), superseded_by=2))
    assert (row["seq"], row["at"], row["callSeq"], row["kind"]) == (7, 1_700_000_000_000, 3, "call")
    assert row["line"] == 'call 3: Saying one (echo {"v": 1})'
    assert row["superseded"] == 2
    assert row["body"]["input"] == {"v": 1}
    assert row["body"]["line"] == 42
    assert row["cut"] == {}


def test_a_large_value_is_cut_and_keeps_its_size() -> None:
    row = entry_row(entry(bodies.result(3, "k", True, "x" * 10_000_000)))
    assert row["cut"] == {"output": 10_000_000}
    assert len(json.dumps(row)) < 10_000


def test_a_row_crosses_as_utf_8_whatever_the_script_wrote() -> None:
    row = entry_row(entry(bodies.log(1, "info", "a\ud800\u202e", {"\udfff": ["\ud800"]})))
    assert json.loads(json.dumps(row, ensure_ascii=False).encode()) == row


def test_a_damaged_entry_says_so_and_keeps_its_place() -> None:
    damaged = entry(bodies.now(2, 5))
    damaged.entry = b"\xff"
    row = entry_row(damaged)
    assert (row["seq"], row["callSeq"], row["tone"], row["body"]) == (7, 2, "bad", {})
    assert "cannot be read" in row["line"]


def test_each_kind_is_shown_by_one_filter() -> None:
    kinds = [kind for _, kinds in FILTERS.values() for kind in kinds]
    assert sorted(kinds) == sorted(Kind)


@pytest.mark.parametrize(
    ("body", "tone"),
    [
        (bodies.result(1, "k", True, 1), "good"),
        (bodies.result(1, "k", False, {"code": "x", "message": "m"}), "bad"),
        (bodies.backoff(1, "k", 5, 1, {"code": "x", "message": "m"}), "warn"),
        (bodies.step(1, "s", "A", "start", True, None), ""),
        (bodies.step(1, "s", "A", "end", False, "no"), "bad"),
        (bodies.log(1, "error", "m", None), "bad"),
        (bodies.log(1, "info", "m", None), ""),
        (bodies.event(1, "k", "w1", None), "warn"),
    ],
)
def test_the_tone_tells_good_from_bad(body: dict[str, Any], tone: str) -> None:
    assert entry_row(entry(body))["tone"] == tone
