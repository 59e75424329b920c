"""The addresses of the pages of runs."""

from django.urls import path, re_path
from django.views.generic import RedirectView

from runs.pages import again, cancel, detail, export, keys, lint, lists, new, parts, signal

urlpatterns = [
    path("", RedirectView.as_view(url="/runs/"), name="home"),
    path("keys/", keys.key_list, name="key-list"),
    path("keys/<str:kind>/<int:pk>/revoke/", keys.key_revoke, name="key-revoke"),
    path("runs/", lists.run_list, name="run-list"),
    re_path(r"^runs/new/?$", new.run_new, name="run-new"),
    path("runs/lint/", lint.run_lint, name="run-lint"),
    path("runs/<str:run_id>/", detail.run_detail, name="run-detail"),
    path("runs/<str:run_id>/part/<str:name>/", parts.run_part, name="run-part"),
    path("runs/<str:run_id>/entries/", parts.run_entries, name="run-entries"),
    path("runs/<str:run_id>/call/<int:call_seq>/", parts.run_call, name="run-call"),
    path("runs/<str:run_id>/signal/", signal.run_signal, name="run-signal"),
    path("runs/<str:run_id>/cancel/", cancel.run_cancel, name="run-cancel"),
    path("runs/<str:run_id>/retry/", again.run_retry, name="run-retry"),
    path("runs/<str:run_id>/fork/", again.run_fork, name="run-fork"),
    path("runs/<str:run_id>/fix/", again.run_fix, name="run-fix"),
    path("runs/<str:run_id>/export.json", export.run_export, name="run-export"),
]
