"""The scripts that journals name are rows of their own; also those of journals from before there were such rows."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from journal import bodies, store
from journal.entries import Entry
from journal.models import JournalScript

pytestmark = pytest.mark.django_db
SCRIPTS = ["export default async () => 1", "export default async () => 2"]


def delegation(call: int, script: str) -> dict[str, Any]:
    return bodies.delegate(call, {"script": script, "input": None}, f"child {call}", 1, None)


def test_they_are_read_out_of_old_journals_by_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    migration = import_module("journal.migrations.0002_scripts")
    monkeypatch.setattr(migration, "_READ", 2)
    for run_id in ("a", "b", "c"):
        store.fresh(run_id, realm_version=1).save(force_insert=True)
        told = [
            bodies.log(0, "info", "scriptSha256", None),
            *(delegation(call, SCRIPTS[call % 2]) for call in (1, 2, 3)),
        ]
        told = told[:1] if run_id == "c" else told
        store.append(run_id, 0, [Entry.of(seq, 1000, body) for seq, body in enumerate(told, 1)])
    known = set(JournalScript.objects.values_list("run_id", "sha256"))
    assert len(known) == 4
    JournalScript.objects.all().delete()
    for _ in range(2):
        migration.name_scripts(apps, SimpleNamespace(connection=connection))
        assert set(JournalScript.objects.values_list("run_id", "sha256")) == known
