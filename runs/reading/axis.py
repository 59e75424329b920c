"""Time as a line on a page: moments to percent of its width, long stretches in which nothing changes folded."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[int, int]  # from, to, in ms since the epoch

FOLD_LEAST_MS = 5_000
_FOLDED = 5.0  # percent that a folded stretch takes, and all of them together at most
_FOLDED_ALL = 40.0


@dataclass(frozen=True, slots=True)
class Segment:
    """From `start` to `end` (ms), drawn from `left` to `right` (percent)."""

    start: int
    end: int
    left: float
    right: float
    folded: bool

    @property
    def ms(self) -> int:
        return self.end - self.start

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True, slots=True)
class Axis:
    segments: list[Segment]

    @classmethod
    def over(cls, edges: Iterable[int]) -> "Axis":
        """Of the moments at which something begins or ends. A stretch between two is folded where it is more than
        twice as long as all shorter ones together: it would flatten them."""
        moments = sorted(set(edges)) or [0]
        gaps = list(pairwise(moments))
        folded = _to_fold(gaps)
        wide = min(_FOLDED, _FOLDED_ALL / len(folded)) if folded else 0.0
        drawn = sum(end - start for start, end in gaps if (start, end) not in folded)
        scale = (100 - wide * len(folded)) / drawn if drawn else 0.0
        segments: list[Segment] = []
        left = 0.0
        for start, end in gaps:
            fold = (start, end) in folded
            right = left + (wide if fold else (end - start) * scale)
            last = segments[-1] if segments else None
            if last and not fold and not last.folded:
                segments[-1] = Segment(last.start, end, last.left, right, False)
            else:
                segments.append(Segment(start, end, left, right, fold))
            left = right
        return cls(segments or [Segment(moments[0], moments[0], 0, 100, False)])

    def at(self, moment: int) -> float:
        """Percent of the width, 0 to 100."""
        for segment in self.segments:
            if moment <= segment.end:
                share = (moment - segment.start) / segment.ms if segment.ms else 0.0
                return segment.left + max(0.0, share) * (segment.right - segment.left)
        return self.segments[-1].right

    @property
    def folds(self) -> list[Segment]:
        return [segment for segment in self.segments if segment.folded]


def _to_fold(gaps: list[Span]) -> set[Span]:
    shorter = 0
    ordered = sorted(gaps, key=lambda gap: gap[1] - gap[0])
    for at, (start, end) in enumerate(ordered):
        if end - start > max(FOLD_LEAST_MS, 2 * shorter) and at:
            return set(ordered[at:])
        shorter += end - start
    return set()


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch joined, empty ones left out."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if end <= start:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def minus(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What of the spans lies in none of the others."""
    rest: list[Span] = []
    taken = merged(others)
    at = 0
    for start, end in merged(spans):
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        for low, high in taken[at:]:
            if low >= end:
                break
            if low > start:
                rest.append((start, low))
            start = max(start, high)
        if start < end:
            rest.append((start, end))
    return rest
