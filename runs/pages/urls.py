"""The addresses of the pages of runs."""

from django.urls import path
from django.views.generic import RedirectView

from runs.pages import detail, lists

urlpatterns = [
    path("", RedirectView.as_view(url="/runs/"), name="home"),
    path("runs/", lists.run_list, name="run-list"),
    path("runs/<str:run_id>/", detail.run_detail, name="run-detail"),
]
