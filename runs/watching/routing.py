"""The addresses of the sockets."""

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.security.websocket import WebsocketDenier
from django.urls import URLPattern, path, re_path

from runs.watching.consumer import RunsConsumer
from runs.watching.origin import SameOrigin
from runs.watching.session import SessionWatcher

_pages: Any = SameOrigin(AuthMiddlewareStack(RunsConsumer.as_asgi(watcher=SessionWatcher)))

# The last one refuses what is nowhere; without it an unknown address would be an error in the log.
routes: list[URLPattern | Any] = [
    path("ws/runs", _pages),
    re_path("", WebsocketDenier.as_asgi()),
]
