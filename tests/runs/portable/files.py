"""Exporting to bytes and importing from them, and emptying the database in between."""

import io
from pathlib import Path
from typing import Any

from django.contrib.admin.models import LogEntry

from journal.models import Journal, RunJournal
from runs.models import Message, Run, Source
from runs.portable import Imported, export, import_file
from runs.portable.exporting import check_paths, ids_of
from runs.portable.redaction import Redaction


def exported(run: Run | str, *, tree: bool = False, redact: list[str] | None = None, deeds: bool = False) -> bytes:
    """The file of a run as bytes."""
    run = run if isinstance(run, Run) else Run.objects.get(pk=run)
    ids, out = ids_of(run, tree=tree), io.BytesIO()
    redaction = Redaction.of(redact) if redact else None
    if redaction is not None:
        check_paths(ids, redaction)
    export(out, ids, tree=tree, redaction=redaction, deeds=deeds)
    return out.getvalue()


def imported(folder: Path, data: bytes, **how: Any) -> Imported:
    path = folder / "run.daybook"
    path.write_bytes(data)
    return import_file(path, **how)


def emptied() -> None:
    """No run is left, as in another database."""
    for model in (LogEntry, Message, RunJournal):
        model.objects.all().delete()
    Run.objects.update(parent=None, continued_from=None, forked_from=None)
    Run.objects.all()._raw_delete("default")
    for model in (Journal, Source):
        model.objects.all().delete()


def elsewhere(folder: Path, data: bytes, **how: Any) -> Imported:
    """Imported where none of its runs is."""
    emptied()
    return imported(folder, data, **how)
