"""The addresses of the sockets: `/ws/runs` for pages, `/ws/api` for programs."""

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.security.websocket import WebsocketDenier
from django.urls import URLPattern, path, re_path

from runs.watching.bearer import BearerWatcher
from runs.watching.consumer import RunsConsumer
from runs.watching.origin import SameOrigin
from runs.watching.session import SessionWatcher
from runs.watching.signed import SignedWatcher
from runs.watching.watcher import Watcher


def program(scope: dict[str, Any]) -> Watcher:
    """By its token, or where it brings none, by what it signs."""
    header: bytes | None = dict(scope["headers"]).get(b"authorization")
    return SignedWatcher(scope) if header is None else BearerWatcher(scope, header.decode("latin-1"))


_pages: Any = SameOrigin(AuthMiddlewareStack(RunsConsumer.as_asgi(watcher=SessionWatcher)))
_programs: Any = SameOrigin(RunsConsumer.as_asgi(watcher=program), or_none=True)

# The last one refuses what is nowhere; without it an unknown address would be an error in the log.
routes: list[URLPattern | Any] = [
    path("ws/runs", _pages),
    path("ws/api", _programs),
    re_path("", WebsocketDenier.as_asgi()),
]
