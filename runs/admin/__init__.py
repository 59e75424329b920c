"""Django admin, where the platform is operated: stock admin, thin over the functions that pages and commands use."""

from runs.admin import others, scripts
from runs.admin.runs import RunAdmin

__all__ = ["RunAdmin", "others", "scripts"]
