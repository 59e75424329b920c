"""The two addresses for whoever looks after the process: does it live, and is the installation ready for work."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from runs.vitals.readiness import readiness


@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 as soon as the web process answers; touches neither database nor session."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200, or 503 where anything is wrong, within a few seconds also when nothing answers.

    Lines of plain text, `name: ok` or what is wrong; for who accepts `application/json`: {ready, checks: {name: text}}.
    """
    found = readiness()
    ready = not any(finding.wrong for finding in found)
    checks = {finding.name: finding.wrong or "ok" for finding in found}
    if "application/json" in request.headers.get("accept", ""):
        return JsonResponse({"ready": ready, "checks": checks}, status=200 if ready else 503)
    lines = ["ready" if ready else "not ready", *(f"{name}: {text}" for name, text in checks.items())]
    return HttpResponse("\n".join(lines) + "\n", status=200 if ready else 503, content_type="text/plain; charset=utf-8")
