"""A run as one JSON document: what it is, its script, and its journal in readable form."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from journal import store
from runs.models import Run, Source
from runs.pages.lookup import run_for
from runs.reading.facts import facts

FORMAT = "daybook.run/1"
_BATCH = 200  # entries


@login_required
@require_safe
def run_export(request: HttpRequest, run_id: str) -> StreamingHttpResponse:
    """`{format, exportedAt, run, source, entries: [...], scripts: {...}}`, an entry a line, in order of seq; `scripts`
    are those of children, which entries hold by their content key."""
    run = run_for(request, run_id)
    # Daphne sends the later pieces of what is streamed also to who has asked for the head alone.
    told = pieces(run) if request.method == "GET" else iter(())
    content = told_async(told) if isinstance(request, ASGIRequest) else told
    name = f'attachment; filename="run-{run.pk}.json"'
    return StreamingHttpResponse(content, content_type="application/json", headers={"Content-Disposition": name})


def pieces(run: Run) -> Iterator[str]:
    """The document, piece by piece; a line end in it is between two values."""
    head = {
        "format": FORMAT,
        "exportedAt": timezone.now(),
        "run": facts(run),
        "source": run.source.text if run.source else None,
    }
    yield "".join(f"{'{' if name == 'format' else ','}\n{_json(name)}: {_json(value)}" for name, value in head.items())
    yield ',\n"entries": ['
    after, comma = 0, ""
    keys: set[str] = set()
    while batch := store.read(run.journal_id, after, most=_BATCH):
        for entry in batch:
            yield f"{comma}\n{_json(entry.as_dict())}"
            comma = ","
        keys |= {entry.script_key for entry in batch if entry.script_key}
        after = batch[-1].seq
    yield '\n],\n"scripts": {'
    comma = ""
    for key, text in Source.objects.filter(pk__in=keys).values_list("pk", "text"):
        yield f"{comma}\n{_json(key)}: {_json(text)}"
        comma = ","
    yield "\n}}\n"


async def told_async(pieces: Iterator[str]) -> AsyncIterator[str]:
    """The same for a server of ASGI, each piece made on a thread that may ask the database."""
    step = sync_to_async(lambda: next(pieces, None))
    while (piece := await step()) is not None:
        yield piece


def _json(value: Any) -> str:
    """ASCII, so that what JavaScript strings may hold and UTF-8 cannot (lone surrogates) is written as an escape."""
    return json.dumps(value, cls=DjangoJSONEncoder)
