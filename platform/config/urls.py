"""The addresses of the site: the run pages at its root, Django admin, the API, accounts, and a health answer."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def healthz(_request: HttpRequest) -> HttpResponse:
    """200 as soon as the web process answers; touches neither database nor session."""
    return HttpResponse("ok\n", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("admin/", include("runs.admin.urls")),  # before those of the admin, which take whatever is left
    path("admin/", admin.site.urls),
    path("api/", include("runs.api.urls")),
    path("", include("config.accounts")),
    path("", include("runs.pages.urls")),
]
