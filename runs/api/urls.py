"""The addresses of the API, below /api/."""

from django.urls import path

from runs.api import views

urlpatterns = [
    path("message", views.message, name="api-message"),
    path("<str:name>", views.action, name="api-action"),
]
