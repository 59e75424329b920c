"""Which scripts a journal names, as rows of a table of its own; those of the journals that there are, read out of them
once."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from journal import codec

_NAME = b"scriptSha256"
_HOLDS = {"sqlite": "instr(entry, %s) > 0", "postgresql": "position(%s::bytea IN entry) > 0"}
_READ = 500


def name_scripts(apps: Any, schema_editor: Any) -> None:
    scripts = apps.get_model("journal", "JournalScript")
    connection = schema_editor.connection
    # By pages, since a cursor of PostgreSQL brings all rows at once.
    sql = (
        "SELECT run_id, seq, entry FROM run_journal WHERE (run_id, seq) > (%s, %s)"  # noqa: S608
        f" AND kind = 'call' AND {_HOLDS[connection.vendor]} ORDER BY run_id, seq LIMIT {_READ}"
    )
    after: tuple[str, int] = ("", 0)
    with connection.cursor() as cursor:
        while True:
            cursor.execute(sql, [*after, _NAME])
            if not (rows := cursor.fetchall()):
                return
            named = ((run_id, codec.decode(bytes(entry)).get(_NAME.decode())) for run_id, _, entry in rows)
            made = [scripts(run_id=run_id, sha256=sha256) for run_id, sha256 in named if sha256]
            scripts.objects.bulk_create(made, ignore_conflicts=True)
            after = rows[-1][:2]


class Migration(migrations.Migration):
    dependencies = [
        ("journal", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="JournalScript",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id", "sha256", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scripts",
                        to="journal.journal",
                    ),
                ),
            ],
            options={
                "db_table": "journal_script",
                "indexes": [models.Index(fields=["sha256"], name="journal_script_named")],
            },
        ),
        migrations.RunPython(name_scripts, migrations.RunPython.noop),
    ]
