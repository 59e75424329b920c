"""Who may open a socket from a browser: pages of this site, and of the origins that may send its forms.

A browser sends its cookies with any socket that any page opens, so the origin stands where a form has its token. What
is no browser names no origin, and may come without one where no cookie is looked at.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.http import is_same_domain

logger = logging.getLogger("runs.watching")


class SameOrigin:
    """ASGI middleware: any other origin, and none unless `or_none`, is refused with HTTP 403 and a line in the log."""

    def __init__(self, application: Callable[..., Awaitable[None]], *, or_none: bool = False) -> None:
        self._application, self._or_none = application, or_none

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        origin, host = headers.get(b"origin"), headers.get(b"host", "")
        if allowed(origin or "", host) or (self._or_none and origin is None and _ours(host)):
            return await self._application(scope, receive, send)
        logger.warning("refused a socket of origin %.200r at host %.200r", origin, host)
        await WebsocketDenier()(scope, receive, send)
        return None


def allowed(origin: str, host: str) -> bool:
    """Whether a page of `origin` may open a socket at `host`, the header of that name."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    if parts.scheme not in ("http", "https"):
        return False
    if parts.netloc.lower() == host.lower() and _ours(host):
        return True
    return any(_matches(parts.scheme, parts.netloc, urlsplit(trusted)) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _ours(host: str) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _matches(scheme: str, netloc: str, trusted: Any) -> bool:
    """As Django compares the origin of a form."""
    return bool(scheme == trusted.scheme and is_same_domain(netloc, trusted.netloc.removeprefix("*")))
