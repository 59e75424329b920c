"""What a page says while the database does not answer; it must never look like "no runs". And of a run that is deleted
while its page is being made: as of one that is gone."""

import logging

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin
from django.views.defaults import page_not_found

from runs.models import Run

log = logging.getLogger("runs.pages")


class DatabaseOutage(MiddlewareMixin):
    """Answers 503, in words, where a view failed for want of the database, and 404 for want of a run."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Run.DoesNotExist):
            return page_not_found(request, Http404())
        if not isinstance(exception, OperationalError | InterfaceError):
            return None
        log.error("the database does not answer: %s %s: %s", request.method, request.path, exception)
        # Without the request: who is signed in stands in the database too.
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "5"})
