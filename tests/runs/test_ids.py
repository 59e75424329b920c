"""Ids: in the order of their making, and in a span that every collation orders alike."""

from datetime import UTC, datetime

from runs.ids import first_id, is_id, new_id, span_of, time_of


def test_an_id_is_one_and_comes_after_those_that_were_made_before() -> None:
    assert is_id(new_id())
    assert first_id(datetime(2020, 1, 1, tzinfo=UTC)) < new_id() < first_id(datetime(2200, 1, 1, tzinfo=UTC))


def test_what_begins_with_a_prefix_lies_in_its_span_which_is_made_of_ids() -> None:
    run_id = new_id()
    for length in (1, 8, 26):
        first, last = span_of(run_id[:length])
        assert first <= run_id <= last
        assert is_id(first)
        assert is_id(last)
    first, last = span_of("0000000000")
    assert not first <= run_id <= last


def test_an_id_tells_when_it_was_made() -> None:
    at = datetime(2026, 11, 30, 12, 30, 15, 250_000, tzinfo=UTC)
    assert time_of(new_id(int(at.timestamp() * 1000))) == at
    assert time_of(first_id(at)) == at
