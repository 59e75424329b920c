"""Another installation, as a process of its own: takes what is in a folder, and leaves there what it makes of it.

    python elsewhere.py FOLDER

`FOLDER/rows.pickle` holds rows ([model, {column: value}]) that are written as they are, `FOLDER/*.daybook` files that
are imported. All are exported again as `*.again`; `told.json` is {ID: what verifying and checking has found}.
"""

import json
import os
import pickle
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "platform"), str(Path(__file__).resolve().parent)]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django  # noqa: E402

django.setup()

from django.apps import apps  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from files import exported  # noqa: E402

from runs import rows  # noqa: E402
from runs.health.journals import check_all  # noqa: E402
from runs.models import Run  # noqa: E402
from runs.operations.verifying import AGREES, verify  # noqa: E402
from runs.portable import import_file  # noqa: E402


def take_rows(path: Path) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for model, columns in pickle.loads(path.read_bytes()):
            cursor.execute(*rows.insertion(apps.get_model(model)(**columns), as_it_is=True))


def main(folder: Path) -> None:
    call_command("migrate", verbosity=0)
    told: dict[str, str] = {"vendor": connection.vendor}
    if (moved := folder / "rows.pickle").exists():
        take_rows(moved)
    for file in sorted(folder.glob("*.daybook")):
        if not moved.exists() and not import_file(file).created:
            told[file.stem] = "was here before"
        file.with_suffix(".again").write_bytes(exported(file.stem, tree=True, deeds=not moved.exists()))
    for run_id in Run.objects.values_list("pk", flat=True):
        found = verify(run_id)
        if found is None or found.outcome != AGREES:
            told[run_id] = str(found)
    told |= {finding.run_id: str(finding) for checked in check_all() for finding in checked.findings}
    (folder / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
