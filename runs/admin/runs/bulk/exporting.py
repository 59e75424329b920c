"""Many runs as one file: a run a line, each as its own export has it; so many to a file, and the next file goes on."""

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from runs import audit
from runs.admin.runs.bulk.selection import Selection
from runs.models import Run
from runs.pages.export import told_async
from runs.portable.readable import pieces as pieces_of

MOST = 200  # runs of one file


def part(selection: Selection, user: User, before: str) -> tuple[list[Run], str]:
    """The runs of the file that begins before that id, and where the next one begins, "" for the last."""
    return selection.batch(user, before, MOST)


def download(request: HttpRequest, runs: list[Run], user: User, reason: str, once: str) -> StreamingHttpResponse:
    """JSON Lines, written down in the log of each run."""
    audit.record_all(user, runs, "export", reason, bulk=once)
    pieces = _lines([run.pk for run in runs])
    content = told_async(pieces) if isinstance(request, ASGIRequest) else pieces
    name = f"runs-{runs[0].pk}.jsonl" if runs else "runs.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(content, content_type="application/jsonl", headers=headers)


def _lines(pks: list[str]) -> Iterator[str]:
    """A run is read when its turn comes: one may have been pruned, or the whole be megabytes."""
    for pk in pks:
        run = Run.objects.select_related("source", "script_version__script", "owner", "journal").filter(pk=pk).first()
        if run is not None:
            yield "".join(piece.replace("\n", "") for piece in pieces_of(run)) + "\n"
