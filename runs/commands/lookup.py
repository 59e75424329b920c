"""The run that a person means by an id, or by the beginning of one."""

from runs.errors import BadInput, UnknownRun
from runs.models import Run

_SHOWN = 5


def run_of(given: str) -> Run:
    """The run of that id, or the only one whose id begins so; raises `UnknownRun`, or `BadInput` for several."""
    prefix = given.strip().lower()
    if not (prefix.isascii() and prefix.isalnum()):
        raise UnknownRun(given)
    runs = Run.objects.select_related("journal").filter(pk__startswith=prefix)
    found = list(runs.order_by("-pk")[: _SHOWN + 1])
    if not found:
        raise UnknownRun(given)
    if len(found) > 1:
        ids = ", ".join(run.pk for run in found[:_SHOWN])
        more = ", and more" if len(found) > _SHOWN else ""
        raise BadInput(f"several runs begin with {given!r}: {ids}{more}; give more of the id")
    return found[0]
