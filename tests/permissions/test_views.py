"""Every address of the site, looked at and sent to by every kind of person."""

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpResponseBase
from django_q.models import Schedule

from permissions import rules
from permissions.people import PEOPLE, Person, Scene, scene
from permissions.views import OPERATING, VIEWS, View, addresses
from runs.models import ApiKey, ApiToken, Message, Run, Script, ScriptVersion

pytestmark = pytest.mark.django_db
ALL = (Run, Message, LogEntry, Script, ScriptVersion, Schedule, User, Group, ApiKey, ApiToken)


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    found = Counter(addresses())
    assert set(found) == set(VIEWS)
    assert {name for name, count in found.items() if count > 1} == set(), "two addresses of one name"


@pytest.mark.parametrize("who", PEOPLE)
def test_a_person_gets_what_the_rows_say_and_no_more(who: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "django.request")  # which tells each refusal with its traceback
    caplog.set_level(logging.WARNING, "runs.access")
    person = PEOPLE[who]
    there = scene(person)
    wrong = [*looked(there, person, caplog), *sent(there, person, caplog)]
    assert not wrong, "\n".join(wrong)


def looked(there: Scene, person: Person, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """What went otherwise than the rows say, by looking at everything."""
    before = everything()
    for name, view in rows_of(person):
        caplog.clear()
        answer = there.client.get(view.path.format(**there.names))
        yield from judged(f"GET {name}", view, view.looks(person), outcome(answer), there, caplog.text)
    if everything() != before:
        yield "looking changes something"


def sent(there: Scene, person: Person, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """By sending each form; what it has done is taken back."""
    before = everything()
    for name, view in rows_of(person):
        caplog.clear()
        cookies = dict(there.client.cookies)
        form = {
            field: value.format(**there.names) if value == "{user_name}" else value
            for field, value in view.form.items()
        }
        with transaction.atomic():
            answer = there.client.post(view.path.format(**there.names), form)
            changed = everything() != before
            transaction.set_rollback(True)
        there.client.cookies.clear()  # of who has signed out
        there.client.cookies.update(cookies)
        expected = view.sends(person)
        yield from judged(f"POST {name}", view, expected, outcome(answer), there, caplog.text)
        meant = expected == rules.IN and view.does is not None and view.does(person) == rules.IN
        if changed != meant and (view.ours or expected != rules.IN):
            yield f"POST {name}: {'something has changed' if changed else 'nothing has changed'}"


def judged(what: str, view: View, expected: str, got: str, there: Scene, log: str) -> Iterator[str]:
    if got != expected:
        yield f"{what}: {got}, not {expected}"
    refused = expected in (rules.FORBIDDEN, rules.MISSING) and view.ours
    if refused and there.user and f"refused user={there.user.pk}" not in log:
        yield f"{what}: refused, and not in the log"


def rows_of(person: Person) -> Iterator[tuple[str, View]]:
    """All of them; but the staff who differ by what they hold differ in what is ours of the admin alone."""
    special = person.staff and person.holds
    return ((name, view) for name, view in VIEWS.items() if not special or name in OPERATING)


def outcome(answer: HttpResponseBase) -> str:
    """As the rules name it. A form that has to be mended is one that somebody may send."""
    where = answer.get("Location", "")
    door = f"to {where.partition('?')[0]}"
    if door in (rules.SIGN_IN, rules.STAFF_SIGN_IN, rules.ADMIN):
        return door
    return rules.IN if answer.status_code in (200, 301, 302, 409, 422) else str(answer.status_code)


def everything() -> list[Any]:
    return [list(model._default_manager.order_by("pk").values()) for model in ALL]
