"""`{% load daybook %}`: moments, badges, and text that scripts have made."""

from datetime import UTC, datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from runs.lifecycle import Status
from runs.reading.cutting import printable
from runs.words import MARKS, moment

register = template.Library()
register.filter("printable", printable)


@register.simple_tag(name="moment")
def moment_tag(at: datetime | None) -> SafeString | str:
    """A `<time>`: UTC as the server says it; the module times.js says it in the reader's own zone."""
    if at is None:
        return ""
    iso = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return format_html('<time datetime="{}" data-moment>{}</time>', iso, moment(at))


@register.inclusion_tag("runs/badge.html")
def badge(status: str) -> dict[str, Any]:
    """The status as colour, mark and word."""
    return {"status": status, "mark": MARKS.get(status, "?"), "name": Status(status).label.partition(":")[0]}
