"""`{% load run_page %}`: phrases with moments in them, lengths of time, countdowns."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from runs.reading.cutting import printable
from runs.templatetags.daybook import moment_tag
from runs.words import Phrase, span

register = template.Library()


@register.simple_tag
def phrase(parts: Phrase) -> SafeString:
    """The words, each moment as a `<time>`."""
    told = (moment_tag(part) if isinstance(part, datetime) else printable(part) for part in parts)
    return format_html_join("", "{}", ((piece,) for piece in told))


@register.simple_tag
def countdown(until: datetime | None) -> SafeString | str:
    """How long from now: "in 4 min 10 s", "5 s ago"; countdown.js keeps it true."""
    if until is None:
        return ""
    left = (until - timezone.now()).total_seconds()
    words = f"in {span(left)}" if left >= 0 else f"{span(-left)} ago"
    return format_html('<span class="soft nowrap" data-until="{}">{}</span>', f"{until.isoformat()}", words)


@register.filter
def lasting(seconds: float | None) -> str:
    """A length of time in words."""
    return "" if seconds is None else span(seconds)
