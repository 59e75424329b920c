"""The addresses of the sockets."""

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.urls import URLPattern, path, re_path

from runs.watching.consumer import RunsConsumer

# The last one refuses what is nowhere; without it an unknown address would be an error in the log.
routes: list[URLPattern | Any] = [
    path("ws/runs", RunsConsumer.as_asgi()),
    re_path("", WebsocketDenier.as_asgi()),
]
