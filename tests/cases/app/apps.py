"""The app of the cases; its tools are found as every app's are."""

from django.apps import AppConfig


class CasesConfig(AppConfig):
    name = "cases.app"
    label = "cases"

    def ready(self) -> None:
        from cases.app import crashes

        from runs.watching import consumer

        crashes.install()
        consumer.GUARD_SECONDS = 0.3  # no case waits so long as people do
