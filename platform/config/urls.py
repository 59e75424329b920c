"""The addresses of the site: the run pages at its root, Django admin, signing in and out, and a health answer."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def healthz(_request: HttpRequest) -> HttpResponse:
    """200 as soon as the web process answers; touches neither database nor session."""
    return HttpResponse("ok\n", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("login/", LoginView.as_view(template_name="login.html", redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("", include("runs.urls")),
]
