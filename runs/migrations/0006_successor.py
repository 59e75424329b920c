from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def name_successors(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Of runs that have been continued before."""
    runs = apps.get_model("runs", "Run").objects
    for pk, predecessor in runs.filter(continued_from__isnull=False).values_list("pk", "continued_from_id"):
        runs.filter(pk=predecessor).update(successor=pk)


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0005_parent_step"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="successor",
            field=models.CharField(
                default="",
                help_text="the id of the run that it was continued as, so that a list need not ask",
                max_length=26,
            ),
        ),
        migrations.RunPython(name_successors, migrations.RunPython.noop),
    ]
