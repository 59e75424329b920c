"""The addresses of the API, below /api/."""

from django.urls import path

from runs.api import pages, views

urlpatterns = [
    path("", pages.index, name="api-index"),
    path("openapi.json", pages.openapi, name="api-openapi"),
    path("message", views.message, name="api-message"),
    path("<str:name>", views.action, name="api-action"),
]
