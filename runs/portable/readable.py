"""A run as one JSON document, to be read by people and other programs; it is not imported again."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from journal import store
from runs.models import Run, Source
from runs.portable.redaction import Redaction
from runs.portable.snapshot import snapshot
from runs.reading.facts import facts

FORMAT = "daybook.run/1"
TREE_FORMAT = "daybook.tree/1"
_BATCH = 200  # entries


def pieces(run: Run, redaction: Redaction | None = None) -> Iterator[str]:
    """`{format, exportedAt, run, source, entries: [...], scripts: {...}}`, an entry a line, in order of seq; `scripts`
    are those of children, which entries hold by their content key. Piece by piece; a line end in it is between two
    values. With a redaction the run also has `redacted`, the paths that it has hit."""
    entries, redacted = _entries(run), dict[str, Any]()
    if redaction is not None:
        entries, redacted = _redacted(run, redaction)
    head = {
        "format": FORMAT,
        "exportedAt": timezone.now(),
        "run": facts(run) | {"owner": _owner(run), "parent": run.parent_id} | redacted,
        "source": run.source.text if run.source else None,
    }
    yield "".join(f"{'{' if name == 'format' else ','}\n{_json(name)}: {_json(value)}" for name, value in head.items())
    yield ',\n"entries": ['
    comma = ""
    keys: set[str] = set()
    for entry in entries:
        yield f"{comma}\n{_json(entry)}"
        comma = ","
        keys |= {entry["scriptSha256"]} if "scriptSha256" in entry else set()
    yield '\n],\n"scripts": {'
    comma = ""
    for key, text in Source.objects.filter(pk__in=keys).values_list("pk", "text"):
        yield f"{comma}\n{_json(key)}: {_json(text)}"
        comma = ","
    yield "\n}}\n"


def tree_pieces(runs: Iterable[Run], redaction: Redaction | None = None) -> Iterator[str]:
    """`{format, runs: [...]}`, each as `pieces` gives it."""
    yield f'{{"format": {_json(TREE_FORMAT)}, "runs": ['
    comma = ""
    for run in runs:
        yield comma
        yield from pieces(run, redaction)
        comma = ","
    yield "]}\n"


def _entries(run: Run) -> Iterator[dict[str, Any]]:
    after = 0
    while batch := store.read(run.journal_id, after, most=_BATCH):
        yield from (entry.as_dict() for entry in batch)
        after = batch[-1].seq


def _redacted(run: Run, redaction: Redaction) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    """The entries, and what is told of the run beside what its row says, which is changed in memory."""
    taken = snapshot(run.pk)
    redaction.of_run(taken)
    told = taken.facts
    for name in ("input", "output", "error", "plan", "progress", "wait", "title"):
        setattr(run, name, told[name])
    run.idempotency_key, run.cancel_reason = told["key"], told["cancelReason"]
    if run.is_copy:
        assert run.imported is not None
        run.imported = run.imported | {"facts": told}
    more = {"redacted": told["redacted"], "owner": told["owner"]}
    return ({"seq": kept.seq, "at": kept.at, **kept.body} for kept in taken.entries), more


def _owner(run: Run) -> str | None:
    return run.owner.get_username() if run.owner else None


def _json(value: Any) -> str:
    """ASCII, so that what JavaScript strings may hold and UTF-8 cannot (lone surrogates) is written as an escape."""
    return json.dumps(value, cls=DjangoJSONEncoder)
