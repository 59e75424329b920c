"""The filters as conditions of the database, each in two forms: one that an index answers, and one that none does.

The second is what the runs of a leading index are looked at for. It is written so that no planner can take it for a
reason to walk another, longer index: how much is read then does not depend on statistics.
"""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

from django.db import connection
from django.db.models import F, IntegerField, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact, GreaterThan

from runs.finding.asked import Asked
from runs.health.signs import BY_SLUG
from runs.lifecycle import WAITS_ON, Status
from runs.models import Script, ScriptVersion

Lead = tuple[Q, frozenset[str]]
_KINDS = sorted(set(WAITS_ON.values()))
_COLUMNS = {"code": "error_code", "tool": "failed_tool"}


def looked(asked: Asked) -> dict[str, Any]:
    """By name of the filter, what a run has to be; without the dates, which bound the ids."""
    wanted: dict[str, Any] = {}
    for name in ("status", "kind", "code", "tool", "queue", "schedule"):
        if given := getattr(asked, name):
            wanted[name] = _is(_COLUMNS.get(name, name), given)
    if asked.script:
        wanted["script"] = _of_script(asked.script)
    if asked.waiting:
        wanted["waiting"] = Q(waits_on__contains=asked.waiting)
    if asked.sign:
        wanted["sign"] = GreaterThan(F("signs").bitand(int(BY_SLUG[asked.sign])), 0)
    if asked.roots:
        wanted["roots"] = Exact(Coalesce("depth", Value(0), output_field=IntegerField()), 0)
    if asked.owner is not None:
        wanted["owner"] = Exact(Coalesce("owner_id", Value(0), output_field=IntegerField()), asked.owner)
    if asked.text:
        wanted["text"] = _has(asked.text)
    return wanted


def leads(asked: Asked) -> list[Lead]:
    """What an index of `Run` answers, and the names of the filters that are met by it; the most special ones first."""
    return [*_special(asked), *_common(asked)] or [(Q(), frozenset())]


def _special(asked: Asked) -> Iterator[Lead]:
    if asked.code:
        yield Q(error_code=asked.code) & ~Q(error_code=""), frozenset({"code"})
    if asked.tool:
        yield Q(failed_tool=asked.tool), frozenset({"tool"})
    if asked.schedule:
        yield Q(schedule=asked.schedule), frozenset({"schedule"})
    if asked.script:
        name, at, _ = asked.script.partition("@")
        script = Subquery(Script.objects.filter(name=name).values("pk")[:1])
        yield Q(script_id=script), frozenset(() if at else {"script"})
    if asked.waiting:
        met = {"waiting", "status"} if asked.status == Status.WAITING else {"waiting"}
        yield Q(waits_on__in=_with(asked.waiting)) & ~Q(waits_on=""), frozenset(met)
    if asked.sign:
        yield Q(signs__gt=0), frozenset()


def _common(asked: Asked) -> Iterator[Lead]:
    roots, of_all = Q(depth=0), Q(depth__gte=0)  # each is the condition of an index
    if asked.owner is not None:
        if asked.status and asked.roots:
            of_owner = Q(owner_id=asked.owner, status=asked.status) & roots
            yield of_owner, frozenset({"owner", "status", "roots"})
        yield Q(owner_id=asked.owner), frozenset({"owner"})
    if asked.status and asked.roots:
        yield Q(status=asked.status) & roots, frozenset({"status", "roots"})
    elif asked.status:
        yield Q(status=asked.status) & of_all, frozenset({"status"})
    if asked.roots:
        yield roots, frozenset({"roots"})


def key_begins(text: str) -> Q:
    """In the form that the index of the keys answers: SQLite's LIKE takes no account of case, and of no index."""
    if connection.vendor == "postgresql":
        return Q(idempotency_key__startswith=text)
    return Q(idempotency_key__gte=text, idempotency_key__lt=f"{text}\U0010ffff")


def _is(column: str, value: str) -> Exact:
    return Exact(Coalesce(column, Value("")), value)


def _of_script(script: str) -> Exact:
    name, at, number = script.partition("@")
    if not at:
        return _is_id("script_id", Script.objects.filter(name=name))
    version = int(number) if number.isascii() and number.isdigit() else 0
    return _is_id("script_version_id", ScriptVersion.objects.filter(script__name=name, number=version))


def _is_id(column: str, rows: QuerySet[Any]) -> Exact:
    return Exact(Coalesce(column, Value(0), output_field=IntegerField()), Subquery(rows.values("pk")[:1]))


def _has(text: str) -> Q:
    return Q(title__icontains=text) | Q(idempotency_key__icontains=text) | Q(pk__startswith=text.lower())


def _with(kind: str) -> list[str]:
    """Every value of `waits_on` that has the kind among its kinds."""
    several = chain.from_iterable(combinations(_KINDS, size) for size in range(1, len(_KINDS) + 1))
    return [",".join(kinds) for kinds in several if kind in kinds]
