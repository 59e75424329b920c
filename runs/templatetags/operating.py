"""`{% load operating %}`: the pages for operators, and the parts that those are made of."""

from typing import Any

from django import template

from runs.admin import site
from runs.models import Run

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
