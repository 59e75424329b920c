"""The round being written: seq, caps, and the warning at 80 %."""

import pytest

from journal import bodies
from runs.host.draft import Draft, JournalFull
from runs.host.outcome import Succeeded
from runs.host.ports import Head


def draft(entries: int = 0, most: int = 10, size: int = 10_000) -> Draft:
    return Draft(Head(entries=entries), lambda: 5, most, size)


def line(number: int) -> bodies.Body:
    return bodies.log(number, "info", "x", None)


def test_seq_goes_on_where_the_journal_ends() -> None:
    one = draft(entries=7)
    assert [one.add(line(1)).seq, one.add(line(2)).seq] == [8, 9]
    assert [entry.seq for entry in one.take(0, None).entries] == [8, 9, 10]
    assert one.add(line(3)).seq == 11


def test_a_round_carries_what_it_was_given_and_leaves_an_empty_draft() -> None:
    one = draft()
    one.add(line(1))
    round = one.take(12.5, Succeeded(1))
    assert (round.cpu_ms, round.ending, len(round.entries)) == (12.5, Succeeded(1), 1)
    assert len(one) == 0
    assert one.head == Head(entries=1, bytes=len(round.entries[0].data), cpu_ms=12.5)


def test_effects_that_do_not_fit_are_all_refused() -> None:
    one = draft(entries=7)
    one.add(line(1))
    with pytest.raises(JournalFull):
        one.add_all_or_none([line(2), line(3), line(4)])
    assert len(one) == 1
    one.add_all_or_none([line(2), line(3)])
    assert len(one) == 3


def test_effects_that_are_too_large_are_refused_by_their_bytes() -> None:
    one = draft(size=200)
    with pytest.raises(JournalFull):
        one.add_all_or_none([bodies.log(1, "info", "x" * 300, None)])
    assert len(one) == 0
    one.add_all_or_none([line(1)])


def test_a_result_is_let_in_past_the_cap() -> None:
    one = draft(entries=10)
    one.add(bodies.result(1, "k", True, 1))
    assert len(one.take(0, None).entries) == 1


@pytest.mark.parametrize(
    ("before", "added", "warned"), [(0, 7, False), (0, 8, True), (7, 1, True), (8, 1, False), (6, 1, False)]
)
def test_the_warning_comes_with_the_round_that_crosses_80_percent(before: int, added: int, warned: bool) -> None:
    one = draft(entries=before)
    for number in range(added):
        one.add(line(number + 1))
    messages = [entry.body["message"] for entry in one.take(0, None).entries]
    assert any("full" in message for message in messages) == warned
    assert not any("full" in entry.body["message"] for entry in one.take(0, None).entries)
