"""What a `change` tells of a run: where it stands, and nothing that can be large."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from runs.models import Message, Run
from runs.reading.cutting import cut_fields, printable
from runs.words import MARKS, status_words

_PAYLOADS = ("input", "output", "error", "budget")
_TIMES = ("created", "queued", "started", "finished", "wake", "deadline", "cancel_requested")


def load(run_ids: Sequence[str]) -> list[tuple[Run, int]]:
    """The rows that `facts` needs, parents before their children, each with how many signals its inbox keeps."""
    rows = Run.objects.filter(pk__in=run_ids).select_related("journal").defer(*_PAYLOADS).order_by("depth", "pk")
    inbox = Message.objects.filter(run__in=run_ids, kind=Message.Kind.SIGNAL, taken_seq=None).values_list("run_id")
    kept = dict(inbox.annotate(count=Count("pk")))
    return [(run, kept.get(run.pk, 0)) for run in rows]


def facts(run: Run, kept: int) -> dict[str, Any]:
    """JSON. Times are ISO 8601 in UTC or None; a long plan or progress is the beginning of its text, and its bytes are
    in `cut`. `nextSeq` is the seq that the next entry will have, `inbox` how many signals are kept."""
    values, cut = cut_fields({"plan": run.plan, "progress": run.progress})
    return {
        "id": run.pk,
        "parentId": run.parent_id,
        "parentCallSeq": run.parent_call_seq,
        "continuedFrom": run.continued_from_id,
        "depth": run.depth,
        "kind": run.kind,
        "agent": run.agent,
        "title": printable(run.title),
        "status": run.status,
        "mark": MARKS.get(run.status, "?"),
        "words": printable(status_words(run)),
        "attempt": run.attempt,
        "maxAttempts": run.max_attempts,
        "errorCode": printable(run.error_code),
        "nextSeq": run.journal.next_seq,
        "inbox": kept,
        **{_camel(name): _iso(getattr(run, f"{name}_at")) for name in _TIMES},
        **values,
        "cut": cut,
    }


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _camel(name: str) -> str:
    first, *rest = f"{name}_at".split("_")
    return first + "".join(part.capitalize() for part in rest)
