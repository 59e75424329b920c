"""The addresses of the pages for operators, below that of the admin."""

from django.urls import path

from runs.admin import platform

urlpatterns = [
    path("platform/", platform.platform_page, name="operating-platform"),
]
