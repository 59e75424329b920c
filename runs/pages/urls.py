"""The addresses of the pages of runs."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from runs.pages import detail, lint, lists, new, parts

urlpatterns = [
    path("", RedirectView.as_view(url="/runs/"), name="home"),
    path("runs/", lists.run_list, name="run-list"),
    re_path(r"^runs/new/?$", new.run_new, name="run-new"),
    path("runs/lint/", lint.run_lint, name="run-lint"),
    path("runs/<str:run_id>/", detail.run_detail, name="run-detail"),
    path("runs/<str:run_id>/part/<str:name>/", parts.run_part, name="run-part"),
    path("runs/<str:run_id>/entries/", parts.run_entries, name="run-entries"),
    path("runs/<str:run_id>/call/<int:call_seq>/", parts.run_call, name="run-call"),
]
