"""The runs that somebody has chosen: by hand on one page of the list, or all that match its filters."""

from dataclasses import dataclass

from django.contrib.admin.options import IncorrectLookupParameters
from django.utils import timezone

from runs import finding
from runs.access import Person
from runs.admin.runs.list import IDS, UPTO, RunList
from runs.finding import Asked
from runs.ids import first_id, is_id
from runs.models import Run


@dataclass(frozen=True, slots=True)
class Selection:
    """`ids`: those by hand; () for all that match `asked` and came before the id `upto`: no run joins the selection
    while somebody reads what it is."""

    asked: Asked
    ids: tuple[str, ...]
    upto: str

    def batch(self, user: Person, before: str, size: int) -> tuple[list[Run], str]:
        """The newest of them before that id, "" for the first, as rows of a list; and the id that the next batch comes
        before, "" for the last. Only what the user sees. A batch may be empty and not the last."""
        if self.ids:
            left = sorted((pk for pk in self.ids if not before or pk < before), reverse=True)
            return finding.again(user, left[:size]), left[size - 1] if len(left) > size else ""
        page = finding.find(user, self.asked, before=before or self.upto, size=size)
        return list(page.rows), page.older


def selection_of(found: RunList) -> Selection:
    """That of an address: the list's own parameters, and `ids` or `upto`."""
    ids = tuple(pk for pk in found.own[IDS].split(",") if is_id(pk))
    if found.own[IDS] and not ids:
        raise IncorrectLookupParameters
    upto = found.own[UPTO]
    return Selection(found.asked, ids, upto if is_id(upto) else first_id(timezone.now()))
