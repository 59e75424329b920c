"""What people and their tools read of the API: its page, and its document."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.api.actions import ACTIONS
from runs.api.openapi import document
from runs.conf import conf


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """What can be asked, and how; it tells nothing of any run, so everybody may read it."""
    context = {"here": "api", "actions": ACTIONS.values(), "base_url": conf().base_url.rstrip("/")}
    return render(request, "runs/api.html", context)


@require_safe
def openapi(_request: HttpRequest) -> JsonResponse:
    """The OpenAPI 3.1 document."""
    return JsonResponse(document(), json_dumps_params={"indent": 1})
