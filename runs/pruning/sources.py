"""Sources that nobody needs any more: no run, no version of the library, and no journal whose entries name them. Only
those of deleted runs are looked at."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from journal.models import JournalScript
from runs.models import Run, ScriptVersion, Source

_CHUNK = 5_000


def release(sha256s: Collection[str]) -> int:
    """Delete those that nobody needs; returns how many. One that somebody is about to refer to is locked by them, and
    stays; who comes later finds none and writes it again (`Source.keep`)."""
    keys = sorted(sha256s)
    return sum(_release(keys[at : at + _CHUNK]) for at in range(0, len(keys), _CHUNK))


def _release(sha256s: Sequence[str]) -> int:
    """The rows are locked before anybody is asked: what refers to them was committed by then, or comes later."""
    rows = Source.objects.filter(_unneeded(), pk__in=sha256s)
    locked = list(rows.select_for_update(skip_locked=True).values_list("pk", flat=True))
    if not locked:
        return 0
    gone = Source.objects.filter(_unneeded(), pk__in=locked)
    return int(gone._raw_delete(gone.db))  # noqa: SLF001  (nothing cascades: what refers to it has been asked)


def _unneeded() -> Q:
    key = OuterRef("pk")
    needed: list[QuerySet[Any]] = [Run.objects.filter(source=key), ScriptVersion.objects.filter(source=key)]
    needed += [JournalScript.objects.filter(sha256=key)]
    return ~Q(*map(Exists, needed), _connector=Q.OR)
