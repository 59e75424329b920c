"""The Django app of runs: finds every app's tools and registers the system checks."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class RunsConfig(AppConfig):
    name = "runs"
    verbose_name = "Daybook"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from runs import checks, deployment  # noqa: F401  (registers them)

        autodiscover_modules("tools", "agents")
