"""A run as one JSON document, to be downloaded: what it is, its script, and its journal in readable form."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from runs.pages.lookup import run_for
from runs.portable.readable import pieces


@login_required
@require_safe
def run_export(request: HttpRequest, run_id: str) -> StreamingHttpResponse:
    """As `runs.portable.readable.pieces` says."""
    run = run_for(request, run_id)
    # Daphne sends the later pieces of what is streamed also to who has asked for the head alone.
    told = pieces(run) if request.method == "GET" else iter(())
    content = told_async(told) if isinstance(request, ASGIRequest) else told
    name = f'attachment; filename="run-{run.pk}.json"'
    return StreamingHttpResponse(content, content_type="application/json", headers={"Content-Disposition": name})


async def told_async(pieces: Iterator[str]) -> AsyncIterator[str]:
    """The same for a server of ASGI, each piece made on a thread that may ask the database."""
    step = sync_to_async(lambda: next(pieces, None))
    while (piece := await step()) is not None:
        yield piece
