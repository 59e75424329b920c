"""The addresses of the pages of runs."""

from django.urls import path
from django.views.generic import RedirectView

from runs.pages import detail, lists, parts

urlpatterns = [
    path("", RedirectView.as_view(url="/runs/"), name="home"),
    path("runs/", lists.run_list, name="run-list"),
    path("runs/<str:run_id>/", detail.run_detail, name="run-detail"),
    path("runs/<str:run_id>/part/<str:name>/", parts.run_part, name="run-part"),
    path("runs/<str:run_id>/entries/", parts.run_entries, name="run-entries"),
    path("runs/<str:run_id>/call/<int:call_seq>/", parts.run_call, name="run-call"),
]
