"""What a right comes to for a person: let in, or refused in which way."""

from collections.abc import Callable

from permissions.people import Person

IN = "in"
SIGN_IN, STAFF_SIGN_IN, ADMIN = "to /login/", "to /admin/login/", "to /admin/"
FORBIDDEN, MISSING, NO_SUCH_METHOD = "403", "404", "405"
NOT_CBOR, NOT_READY = "415", "503"
Rule = Callable[[Person], str]


def everybody(person: Person) -> str:
    return IN


def signed_in(person: Person) -> str:
    return IN if person.signed_in else SIGN_IN


def sees(person: Person) -> str:
    """The run: who does not is told no more than that there is none."""
    return _first(signed_in(person), IN if person.sees else MISSING)


def may(*verbs: str) -> Rule:
    """All of these, to the run that the person sees."""

    def rule(person: Person) -> str:
        return _first(sees(person), IN if all(map(person.may, verbs)) else FORBIDDEN)

    return rule


def starts(person: Person) -> str:
    return _first(signed_in(person), IN if person.may("start") else FORBIDDEN)


def staff(person: Person) -> str:
    return IN if person.staff else STAFF_SIGN_IN


def staff_who_see(person: Person) -> str:
    return _first(staff(person), IN if person.sees else MISSING)


def staff_with(*codenames: str) -> Rule:
    """One of these permissions."""
    return lambda person: _first(staff(person), IN if any(map(person.has, codenames)) else FORBIDDEN)


def staff_with_all(*codenames: str) -> Rule:
    return lambda person: _first(staff(person), IN if all(map(person.has, codenames)) else FORBIDDEN)


def staff_get(answer: str) -> Rule:
    """Whoever of the staff it is."""
    return lambda person: _first(staff(person), answer)


def safe(rule: Rule) -> Rule:
    """Of what can only be read: sending something to it is refused, behind the door that everybody has to pass."""

    def sent(person: Person) -> str:
        shut = rule(person)
        return shut if shut in (SIGN_IN, STAFF_SIGN_IN) else NO_SUCH_METHOD

    return sent


def superusers(person: Person) -> str:
    """Of what Django and django-q2 have of their own: nobody here holds a permission for it."""
    return _first(staff(person), IN if person.superuser else FORBIDDEN)


def resubmits(person: Person) -> str:
    """django-q2 offers it to whoever gets to its list, which `superusers` alone do."""
    return staff(person)


def owner_of_keys(person: Person) -> str:
    """Of the keys of another nobody is told that they are there."""
    return _first(signed_in(person), IN if person.owns else MISSING)


def only(answer: str) -> Rule:
    """Whoever it is: the API knows keys and tokens and no sessions."""
    return lambda _: answer


def _first(*answers: str) -> str:
    """The first that is no."""
    return next((answer for answer in answers if answer != IN), IN)
