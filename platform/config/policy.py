"""What every answer tells a browser not to do. Content-Security-Policy: nothing inline, nothing from anywhere else;
Permissions-Policy: none of the devices, and the clipboard for this site alone; and no other site may show what is here.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


_NEVER = (
    *("camera", "microphone", "geolocation", "accelerometer", "gyroscope", "magnetometer", "display-capture"),
    *("midi", "usb", "serial", "hid", "payment", "clipboard-read"),
)
HEADERS = {
    "Permissions-Policy": ", ".join([*(f"{name}=()" for name in _NEVER), "clipboard-write=(self)"]),
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SecurityHeaders(MiddlewareMixin):
    """Sets each header unless the view has set its own."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        # Django's pages for debugging have their styles and scripts inline.
        if not (settings.DEBUG and response.status_code in (404, 500)):
            response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
