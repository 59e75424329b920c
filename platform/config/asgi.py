"""The ASGI application that Daphne serves: Django for HTTP, Channels for WebSockets."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application
from django.urls import URLPattern

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# First: it loads the apps, which whatever is routed to below may import.
http = get_asgi_application()

websocket_routes: list[URLPattern] = []

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_routes))),
    }
)
