"""The addresses of the run pages."""

from django.urls import path
from django.views.generic import RedirectView

from runs import views

urlpatterns = [
    path("", RedirectView.as_view(url="/runs/"), name="home"),
    path("runs/", views.run_list, name="run-list"),
    path("runs/<str:run_id>/", views.run_detail, name="run-detail"),
]
