"""Cron lines: the odd ones are refused with a reason, and what is taken has a next time."""

from datetime import datetime

import pytest
from croniter import croniter
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.cron import check_cron
from runs.errors import BadInput


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("* * * * *", "* * * * *"),
        ("  30  6 * *\tmon-fri ", "30 6 * * mon-fri"),
        ("*/5 0-8,20 1 jan,jul *", "*/5 0-8,20 1 jan,jul *"),
        ("0 0 29 2 *", "0 0 29 2 *"),
        ("0 9 * * mon#1", "0 9 * * mon#1"),
        ("0 0 L * *", "0 0 L * *"),
        ("0 0 * * thu,fri", "0 0 * * thu,fri"),
        ("@daily", "@daily"),
    ],
)
def test_a_line_is_kept_with_single_spaces(line: str, kept: str) -> None:
    assert check_cron(line) == kept


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "it is empty; write five"),
        ("daily", "it has 1 fields; write five"),
        ("* * * *", "it has 4 fields"),
        ("* * * * * *", "it has 6 fields"),
        ("0 0 * * * * 2020", "it has 7 fields"),
        ("61 * * * *", "out of range"),
        ("* 24 * * *", "out of range"),
        ("*/0 * * * *", "step '0'"),
        ("0 0 30 2 *", "never fires"),
        ("0 0 31 4,6,9,11 *", "never fires"),
        ("R * * * *", "a field has digits"),
        ("H/5 * * * *", "a field has digits"),
        ("R(0-30) * * * *", "a field has digits"),
        ("a b c d e", "is no cron line"),
        ("@reboot", "there are @hourly"),
        ("\0 * * * *", "is no cron line"),
        ("٣ * * * *", "a field has digits"),
        ("0," * 60 + "0 * * * *", "the most is 100"),
    ],
)
def test_an_odd_line_is_refused_with_a_reason(line: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        check_cron(line)


_FIELD = st.text("0123456789*/,-#?LlWHRmontue ", max_size=6)


@given(st.lists(_FIELD, min_size=5, max_size=5))
@settings(max_examples=300, deadline=None)
def test_whatever_is_kept_can_be_computed(fields: list[str]) -> None:
    """q2's scheduler stops for all schedules at one that cannot."""
    try:
        line = check_cron(" ".join(fields))
    except BadInput:
        return
    assert croniter(line, timezone.localtime()).get_next(datetime) > timezone.localtime()
