"""One run in the admin, to be read: all that its page has, and what the machine and the operators keep of it."""

from functools import partial
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from runs import audit
from runs.access import Verb, may
from runs.health.facts import health
from runs.models import Run
from runs.pages import tabs
from runs.pages.detail import whole
from runs.pages.lookup import run_for
from runs.pages.overview import PAYLOADS
from runs.reading import machine


def facts(request: HttpRequest, run_id: str) -> dict[str, Any]:
    """What `admin/runs/run/view.html` shows. Raises `Http404` for a run that the user does not see."""
    tab = tabs.tab_of(request.GET)
    looked = timezone.now()
    run = run_for(request, run_id, without=PAYLOADS)
    return whole(request, run, tab, looked) | behind(request, run)


def behind(request: HttpRequest, run: Run) -> dict[str, Any]:
    return {
        "uses": machine.uses(run),
        "run_attempts": machine.attempts(run),
        "inbox": machine.inbox(run),
        "chain": machine.chain(run, partial(may, request.user, Verb.VIEW)),
        "findings": health(run),
        "deeds": audit.deeds(run),
    }
