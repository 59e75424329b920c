"""`{% load operating %}`: the pages for operators, and the parts that those are made of."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from runs.admin import site
from runs.models import Run
from runs.reading.cutting import printable

register = template.Library()


@register.simple_tag(takes_context=True)
def operator_pages(context: dict[str, Any]) -> list[site.Page]:
    """Those that whoever asks may open."""
    request = context.get("request")
    return site.pages(request.user) if request and request.user.is_staff else []


@register.inclusion_tag("admin/operating/run.html")
def run_link(run: Run) -> dict[str, Any]:
    """A run as a link to its page, by its title or else its id."""
    return {"run": run}


@register.simple_tag
def code_lines(text: str) -> SafeString:
    """A source as it stands, with what browsers would drop shown as an escape."""
    return format_html("<code><bdi>{}</bdi></code>", printable(text))
