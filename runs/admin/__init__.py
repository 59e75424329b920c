"""What operators have in Django admin; Django's autodiscovery loads it by its name."""

from runs.admin import others, scripts

__all__ = ["others", "scripts"]
