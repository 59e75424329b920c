from typing import Any

import journal.fields
from django.conf import settings
from django.db import migrations, models


class AtOnce(migrations.SeparateDatabaseAndState):
    """Operations on the constraints of runs. SQLite copies the whole table for each of them; here once for all."""

    def __init__(self, operations: list[Any]) -> None:
        super().__init__(operations, operations)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor._remake_table(to_state.apps.get_model("runs", "run"))  # noqa: SLF001
        else:
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor._remake_table(to_state.apps.get_model("runs", "run"))  # noqa: SLF001
        else:
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [
        ("journal", "0001_initial"),
        ("runs", "0011_retention"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="imported",
            field=journal.fields.CborField(
                help_text="of a read-only copy alone: what it was when it was exported; see runs.copies", null=True
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="status",
            field=models.CharField(
                choices=[
                    ("queued", "Queued: runnable; a worker claims it. Survives any crash."),
                    ("running", "Running: a worker holds its lease. When the worker dies, the clock queues it again."),
                    (
                        "waiting",
                        "Waiting: parked until its wake time or a signal; holds no worker, memory or connection.",
                    ),
                    ("succeeded", "Succeeded: the script returned; the output is stored."),
                    ("failed", "Failed: the error says why and what to do; it can be retried."),
                    ("canceled", "Canceled: stopped by a person or by its parent."),
                    (
                        "imported",
                        "Imported: a read-only copy of a run from a file. Nothing moves it; it can be forked.",
                    ),
                ],
                default="queued",
                max_length=9,
            ),
        ),
        AtOnce(
            [
                migrations.RemoveConstraint(
                    model_name="run",
                    name="run_status_known",
                ),
                migrations.RemoveConstraint(
                    model_name="run",
                    name="run_finished_iff_terminal",
                ),
                migrations.AddConstraint(
                    model_name="run",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["queued", "running", "waiting", "succeeded", "failed", "canceled", "imported"],
                            )
                        ),
                        name="run_status_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="run",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ("succeeded", "failed", "canceled", "imported")),
                            ),
                            models.Q(
                                models.Q(
                                    ("status__in", ("succeeded", "failed", "canceled", "imported")), _negated=True
                                ),
                                ("finished_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="run_finished_iff_terminal",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="run",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("imported__isnull", False), ("status", "imported")),
                            models.Q(models.Q(("status", "imported"), _negated=True), ("imported__isnull", True)),
                            _connector="OR",
                        ),
                        name="run_imported_iff_copy",
                    ),
                ),
            ]
        ),
    ]
