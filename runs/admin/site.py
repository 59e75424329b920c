"""The pages for operators that are no list of rows: which there are, who sees them, and the frame they stand in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from runs.access import Forbidden, Person, Verb, may, told_refused


@dataclass(frozen=True, slots=True)
class Page:
    """`name` is that of its address and `tells` the line beside it on the index; `verbs`: who holds the permission of
    one of these sees it, everybody of the staff where there are none."""

    name: str
    title: str
    tells: str
    verbs: tuple[Verb, ...] = ()

    @property
    def href(self) -> str:
        return reverse(f"operating-{self.name}")

    def open_to(self, user: Person) -> bool:
        return not self.verbs or any(may(user, verb) for verb in self.verbs)


PAGES = [
    Page("platform", "Platform", "workers, clock, queues, timers, database", (Verb.VIEW,)),
    Page("schedules", "Schedules", "scripts started by the clock, and their runs", (Verb.START, Verb.VIEW)),
    Page("effects", "Effect search", "runs by what their calls were given, and what came of it"),
    Page("tools", "Tools and agents", "what scripts can call, how much it is used, and how often it fails"),
    Page("health", "Replay health", "runs that are not the plain story of a script that ran once"),
]


def pages(user: Person) -> list[Page]:
    """Those that the user may open, in the order of the index."""
    return [page for page in PAGES if page.open_to(user)]


def named(name: str) -> Page:
    return next(page for page in PAGES if page.name == name)


def refuse(user: Person, needed: str) -> NoReturn:
    """Writes it to the log, and raises `Forbidden`; `needed` names the permissions."""
    told_refused(user, needed, "")
    raise Forbidden(f"You may not do this: it takes the permission {needed}. Ask who administers this site.")


def view(name: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """For the staff, and among them for those to whom the page of that name is open."""
    page = named(name)

    def around(function: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        def guarded(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
            if not page.open_to(request.user):
                refuse(request.user, " or ".join(f"runs.{verb}_run" for verb in page.verbs))
            return function(request, *arguments, **named)

        return admin.site.admin_view(guarded)

    return around


def show(
    request: HttpRequest, name: str, context: Mapping[str, Any], *, status: int = 200, part: str = ""
) -> HttpResponse:
    """The page in the frame of the admin; `part` is another template of it, such as `add`."""
    page = named(name)
    frame = {**admin.site.each_context(request), "title": page.title, "page": page}
    template = f"admin/operating/{name}{f'_{part}' if part else ''}.html"
    return render(request, template, {**frame, **context}, status=status)
