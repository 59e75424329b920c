"""Reading values out of an environment mapping, with a message that names the variable when one is wrong."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

PREFIX = "DAYBOOK_"
TRUE = {"1", "true", "yes", "on"}
FALSE = {"", "0", "false", "no", "off"}


def flag(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    """The truth of a variable; 1/0, true/false, yes/no, on/off in any case."""
    value = environ.get(name, "").strip().lower()
    if name not in environ:
        return default
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} is neither true nor false; write 1 or 0.")


def number(environ: Mapping[str, str], name: str, *, default: int, least: int = 0) -> int:
    """A whole number of at least `least`; an unset or empty variable gives the default."""
    text = environ.get(name, "").strip()
    if not text:
        return default
    try:
        value = int(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={text!r} is not a whole number.") from error
    if value < least:
        raise ImproperlyConfigured(f"{name}={value} is too small; the least is {least}.")
    return value


def words(environ: Mapping[str, str], name: str, *, default: list[str]) -> list[str]:
    """A comma-separated list without blanks; an unset variable gives the default."""
    if name not in environ:
        return default
    return [word.strip() for word in environ[name].split(",") if word.strip()]


def networks(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    """A comma-separated list of addresses (`10.0.0.7`) and networks (`10.0.0.0/8`), in the form of the latter."""
    found = []
    for word in words(environ, name, default=[]):
        try:
            found.append(str(ipaddress.ip_network(word, strict=False)))
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {word!r} is neither an address nor a network.") from error
    return tuple(found)


def numbers(environ: Mapping[str, str], *names: str) -> dict[str, Any]:
    """The variables DAYBOOK_<NAME> that are set, as {name in lower case: number}.

    Seconds may have a fraction (`DAYBOOK_RENEW_SECONDS=0.5`); everything else is whole. None may be negative.
    """
    found: dict[str, Any] = {}
    for name in names:
        variable = PREFIX + name
        text = environ.get(variable, "").strip()
        if not text:
            continue
        if not name.endswith("_SECONDS") or text.isdigit():
            found[name.lower()] = number(environ, variable, default=0)
            continue
        try:
            value = float(text)
        except ValueError as error:
            raise ImproperlyConfigured(f"{variable}={text!r} is not a number of seconds.") from error
        if not 0 <= value < float("inf"):
            raise ImproperlyConfigured(f"{variable}={text} must be a finite number of seconds, 0 or more.")
        found[name.lower()] = value
    return found
