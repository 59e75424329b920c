"""What a page says while the database does not answer; it must never look like "no runs"."""

import logging

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

log = logging.getLogger("runs.pages")


class DatabaseOutage(MiddlewareMixin):
    """Answers 503, in words, where a view failed for want of the database."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, OperationalError | InterfaceError):
            return None
        log.error("the database does not answer: %s %s: %s", request.method, request.path, exception)
        # Without the request: who is signed in stands in the database too.
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "5"})
