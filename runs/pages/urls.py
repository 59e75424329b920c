"""The addresses of the pages of runs."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from runs.pages import detail, lint, lists, new

urlpatterns = [
    path("", RedirectView.as_view(url="/runs/"), name="home"),
    path("runs/", lists.run_list, name="run-list"),
    re_path(r"^runs/new/?$", new.run_new, name="run-new"),
    path("runs/lint/", lint.run_lint, name="run-lint"),
    path("runs/<str:run_id>/", detail.run_detail, name="run-detail"),
]
