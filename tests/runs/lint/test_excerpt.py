"""The lines around a place."""

import pytest

from runs.lint import excerpt

TEN = "\n".join(f"line {number}" for number in range(1, 11))


def test_an_excerpt_shows_the_lines_around_and_marks_the_one() -> None:
    assert excerpt("a\nb\nc\nd", 2, context=1) == "  1 | a\n> 2 | b\n  3 | c"


def test_an_excerpt_stops_at_the_ends_of_the_source() -> None:
    assert excerpt(TEN, 1).splitlines()[0] == ">  1 | line 1".replace(">  1", "> 1")
    assert excerpt(TEN, 10).splitlines() == ["   8 | line 8", "   9 | line 9", "> 10 | line 10"]


@pytest.mark.parametrize("line", [0, -1, 11])
def test_a_line_that_is_not_there_gives_nothing(line: int) -> None:
    assert excerpt(TEN, line) == ""


def test_lines_end_as_they_do_for_findings() -> None:
    assert excerpt("\ufeffa\r\nb\rc", 2, context=1) == "  1 | a\n> 2 | b\n  3 | c"


def test_a_minified_line_is_cut() -> None:
    shown = excerpt("x" * 100_000, 1)
    assert len(shown) < 200
    assert shown.endswith("…")
