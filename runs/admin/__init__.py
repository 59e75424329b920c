"""Django admin, where the platform is operated: stock admin, thin over the functions that pages and commands use.
Django's autodiscovery loads it by its name."""

from runs.admin import others, runs, scripts

__all__ = ["others", "runs", "scripts"]
