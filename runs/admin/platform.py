"""The platform page: whether everything that runs need is alive, and what to do where it is not."""

from django.http import HttpRequest, HttpResponse

from runs.admin import site, telling


@site.view("platform")
def platform_page(request: HttpRequest) -> HttpResponse:
    """GET alone, a bounded number of short queries; 200 also where some of them failed."""
    sections = telling.sections()
    wrong = [section for section in sections if section.state in (telling.BAD, telling.UNKNOWN)]
    return site.show(request, "platform", {"sections": sections, "wrong": wrong})
