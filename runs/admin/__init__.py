"""Django admin, where the platform is operated: stock admin, thin over the functions that pages and commands use."""

from django.contrib import admin

from runs.admin import keys, others, scripts
from runs.admin.runs import RunAdmin

__all__ = ["RunAdmin", "keys", "others", "scripts"]

admin.site.site_header = admin.site.site_title = "Daybook"
