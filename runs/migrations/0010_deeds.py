"""Django's log of what was done has no index by object: what was done to one run would be looked for in all of it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0009_finding"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [
        migrations.RunSQL(
            "CREATE INDEX runs_deeds ON django_admin_log (object_id, content_type_id, id)", "DROP INDEX runs_deeds"
        ),
    ]
