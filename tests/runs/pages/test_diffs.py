"""The difference of two sources."""

from runs.pages import diffs
from runs.pages.diffs import Line, diff


def test_the_same_has_no_difference() -> None:
    assert diff("a\nb\n", "a\nb") == []


def test_changed_lines_stand_with_three_around_them_and_their_numbers() -> None:
    old = [f"line {n}" for n in range(1, 11)]
    new = [*old[:4], "other", *old[5:]]
    assert diff("\n".join(old), "\n".join(new)) == [
        *(Line(" ", f"line {n}", n, n) for n in (2, 3, 4)),
        Line("-", "line 5", 5),
        Line("+", "other", None, 5),
        *(Line(" ", f"line {n}", n, n) for n in (6, 7, 8)),
    ]


def test_two_places_far_apart_are_two_groups() -> None:
    old = [f"line {n}" for n in range(40)]
    new = ["first", *old[1:39], "last"]
    signs = "".join(line.sign for line in diff("\n".join(old), "\n".join(new)))
    assert signs == "-+   @   -+"


def test_lines_put_in_and_taken_out_keep_their_numbers() -> None:
    assert diff("a\nb\nc", "a\nc") == [Line(" ", "a", 1, 1), Line("-", "b", 2), Line(" ", "c", 3, 2)]
    assert diff("a\na", "a\na\na") == [Line(" ", "a", 1, 1), Line(" ", "a", 2, 2), Line("+", "a", None, 3)]
    assert diff("", "a") == [Line("+", "a", None, 1)]


def test_what_is_too_long_to_compare_is_replaced_as_a_whole_and_cut() -> None:
    old, new = "\n".join(f"a{n}" for n in range(3000)), "\n".join(f"b{n}" for n in range(3000))
    lines = diff(old, new)
    assert len(lines) == diffs.SHOWN + 1
    assert lines[-1] == Line("@", "5000 more lines")
