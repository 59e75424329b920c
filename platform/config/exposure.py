"""What must never be in force where others can reach it: a key that anybody can guess, and Django's debug pages, which
show settings, sources and values to whoever meets an error.

A server can listen anywhere without the settings knowing, so under DEBUG each request is looked at as well.
"""

import logging
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from runs.visitors import is_loopback

KEY_CHARACTERS = 32
KEY_KINDS = 8  # different characters, of which sixteen random bytes in hexadecimal have about fourteen
_PLACEHOLDERS = (
    "insecure",
    "changeme",
    "change-me",
    "change_me",
    "replaceme",
    "replace-me",
    "replace_me",
    "your-secret",
)
_MAKE = (
    "Make one with: python -c 'import secrets; print(secrets.token_urlsafe(64))'. Without SECRET_KEY Daybook makes one."
)
logger = logging.getLogger("runs.access")


def fault_of_key(key: str) -> str:
    """What makes a secret key one that can be guessed; "" for a good one."""
    if any(word in key.lower() for word in _PLACEHOLDERS):
        return "is a placeholder, which anybody can look up"
    if len(key) < KEY_CHARACTERS or len(set(key)) < KEY_KINDS:
        return f"can be guessed: it needs {KEY_CHARACTERS} characters, and {KEY_KINDS} different ones among them"
    return ""


def good_key(key: str) -> str:
    """The key; raises `ImproperlyConfigured` for one that can be guessed."""
    if fault := fault_of_key(key):
        raise ImproperlyConfigured(f"The secret key {fault}. Who has it can sign in as anybody. {_MAKE}")
    return key


def exposed(hosts: list[str]) -> list[str]:
    """Those of the names in ALLOWED_HOSTS that others than this machine can use."""
    return [host for host in hosts if not is_loopback(host)]


def debug_at_home(debug: bool, hosts: list[str]) -> bool:
    """DEBUG; raises `ImproperlyConfigured` where the site has a name that others can use."""
    if debug and (names := exposed(hosts)):
        raise ImproperlyConfigured(
            f"DAYBOOK_DEBUG is on and DAYBOOK_ALLOWED_HOSTS names {', '.join(names)}: debug pages would show settings "
            "and values to others. Set DAYBOOK_DEBUG=0, or let DAYBOOK_ALLOWED_HOSTS name this machine alone."
        )
    return debug


class DebugAtHome:
    """Middleware that under DEBUG answers 403 to whatever came in at an address that others can reach."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.DEBUG:
            raise MiddlewareNotUsed
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # The address that the server listens at, and not the header Host, which says what its sender likes.
        if is_loopback(request.META.get("SERVER_NAME", "")):
            return self._get_response(request)
        logger.warning("refused a request at %.100r: DAYBOOK_DEBUG is on", request.META.get("SERVER_NAME"))
        refusal = "DAYBOOK_DEBUG is on, so this server answers at its loopback address alone. Set DAYBOOK_DEBUG=0.\n"
        return HttpResponse(refusal, status=403, content_type="text/plain")
