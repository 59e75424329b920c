"""Cron lines as a person says them."""

import pytest

from runs.cron import check_cron
from runs.cron_words import when_words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("* * * * *", "every minute"),
        ("*/5 * * * *", "every 5 minutes"),
        ("*/7 * * * *", "by the cron line */7 * * * *"),
        ("0 * * * *", "every hour, on the hour"),
        ("@hourly", "every hour, on the hour"),
        ("15 */6 * * *", "every 6 hours, at 15 min past the hour"),
        ("30 6 * * *", "at 06:30 every day"),
        ("@midnight", "at 00:00 every day"),
        ("30 6 * * mon-fri", "at 06:30 on Monday to Friday"),
        ("30 6,18 * * 0,3", "at 06:30 and 18:30 on Sunday and Wednesday"),
        ("*/10 * * * 7", "every 10 minutes on Sunday"),
        ("0 9 1,15 * *", "at 09:00 on day 1 and 15 of the month"),
        ("0 9 1 * mon", "by the cron line 0 9 1 * mon"),
        ("0 9 * 2 *", "by the cron line 0 9 * 2 *"),
        ("0 9 L * *", "by the cron line 0 9 L * *"),
        ("0 9 * * mon#1", "by the cron line 0 9 * * mon#1"),
        ("1-5 9 * * *", "by the cron line 1-5 9 * * *"),
        ("@yearly", "by the cron line @yearly"),
    ],
)
def test_a_cron_line_is_said_or_shown(line: str, words: str) -> None:
    assert when_words(check_cron(line), None) == words


def test_minutes_are_said_in_their_largest_units() -> None:
    assert when_words(None, 1) == "every 1 min"
    assert when_words(None, 90) == "every 1 h 30 min"
    assert when_words(None, 2880) == "every 2 days"
