"""Time on a page: in proportion, but for long stretches in which nothing changes."""

from runs.reading.axis import Axis, merged, minus

DAY = 86_400_000


def test_short_times_are_drawn_in_proportion() -> None:
    axis = Axis.over([0, 1000, 4000])
    assert [axis.at(moment) for moment in (0, 1000, 4000)] == [0, 25, 100]
    assert axis.folds == []


def test_three_days_of_sleep_do_not_flatten_calls_of_two_seconds() -> None:
    axis = Axis.over([0, 2000, 2000 + 3 * DAY, 4000 + 3 * DAY])
    (fold,) = axis.folds
    assert fold.ms == 3 * DAY
    assert axis.at(2000) == 47.5
    assert axis.at(2000 + 3 * DAY) == 52.5
    assert axis.at(4000 + 3 * DAY) == 100


def test_many_folded_nights_leave_room_for_what_happened_between_them() -> None:
    edges = [night * DAY + moment for night in range(50) for moment in (0, 1000)]
    axis = Axis.over(edges)
    assert len(axis.folds) == 49
    assert sum(fold.right - fold.left for fold in axis.folds) < 41
    assert round(axis.at(edges[-1]), 6) == 100


def test_a_moment_outside_stays_on_the_line() -> None:
    axis = Axis.over([1000, 2000])
    assert (axis.at(0), axis.at(9000)) == (0, 100)
    assert Axis.over([]).at(5) == 100
    assert Axis.over([7, 7]).at(7) == 0


def test_spans_are_joined_and_taken_out_of_each_other() -> None:
    assert merged([(5, 9), (1, 3), (3, 4), (6, 7), (8, 8)]) == [(1, 4), (5, 9)]
    assert minus([(0, 10), (20, 30)], [(2, 3), (5, 25)]) == [(0, 2), (3, 5), (25, 30)]
    assert minus([(0, 10)], []) == [(0, 10)]
    assert minus([(0, 10), (12, 14)], [(0, 14)]) == []
