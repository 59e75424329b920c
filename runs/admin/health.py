"""The page of replay health: what each sign means, and the runs that show it."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from runs import finding
from runs.admin import site
from runs.finding import Asked
from runs.health.facts import WORDS, signs_in
from runs.health.signs import BY_SLUG, Sign
from runs.ids import is_id
from runs.models import Run
from runs.pages.lists import row_of

NEWEST = 5  # of each sign, on the page of all


@site.view("health")
def health_page(request: HttpRequest) -> HttpResponse:
    """Every sign, with the newest runs that show it."""
    signs = []
    for sign in Sign:
        page = finding.find(request.user, Asked(sign=sign.slug), size=NEWEST)
        signs.append({**_sign(sign), "runs": [_row(run) for run in page.rows], **_further(page)})
    return site.show(request, "health", {"signs": signs})


@site.view("health")
def sign_page(request: HttpRequest, slug: str) -> HttpResponse:
    """All runs of one sign, a page at a time."""
    if (sign := BY_SLUG.get(slug)) is None:
        raise Http404(f"There is no sign {slug}; there are {', '.join(BY_SLUG)}.")
    before = request.GET.get("before", "")
    page = finding.find(request.user, Asked(sign=slug), before=before if is_id(before) else "")
    told = _sign(sign)
    context = {**told, "title": told["name"], "crumb": told["name"], "runs": [_row(run) for run in page.rows]}
    return site.show(request, "health", {**context, **_further(page)}, part="sign")


def _sign(sign: Sign) -> dict[str, Any]:
    name, meaning = WORDS[sign]
    return {"sign": sign, "name": name, "meaning": meaning}


def _row(run: Run) -> dict[str, Any]:
    return {**row_of(run), "signs": [WORDS[sign][0] for sign in signs_in(run)]}


def _further(page: finding.Page) -> dict[str, Any]:
    """Where it goes on, and how far the search has come where it has not found a whole page."""
    return {"older": page.older, "searched_to": page.searched_to}
