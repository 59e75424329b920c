"""The ASGI application that Daphne serves: Django for HTTP, Channels for WebSockets."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# First: it loads the apps, which what is imported below needs.
http = get_asgi_application()

from runs.watching.pace import Paced  # noqa: E402
from runs.watching.routing import routes  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": Paced(URLRouter(routes)),
    }
)
