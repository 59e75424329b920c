"""The addresses of the site: the run pages at its root, Django admin, the API, accounts, and answers about health."""

from django.contrib import admin
from django.urls import include, path

from config.probes import healthz, readyz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("admin/", include("runs.admin.urls")),  # before those of the admin, which take whatever is left
    path("admin/", admin.site.urls),
    path("api/", include("runs.api.urls")),
    path("", include("config.accounts")),
    path("", include("runs.pages.urls")),
]
