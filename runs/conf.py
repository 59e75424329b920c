"""The product's settings: `settings.DAYBOOK` over the defaults below, as one frozen object."""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Conf:
    """Sizes in bytes, times in the unit that the name ends in."""

    source_max_bytes: int = 256 * 1024
    memory_bytes: int = 64 * MIB
    stack_bytes: int = MIB
    fuel_ms: int = 2_000  # CPU of one slice, between two awaits
    cpu_ms: int = 60_000  # CPU of a whole run, replays not counted
    wall_seconds: int = 30 * 24 * 3600  # from the run's start to its end, waiting included
    journal_max_entries: int = 5_000
    journal_max_bytes: int = 8 * MIB
    result_max_bytes: int = 256 * 1024
    tool_timeout_ms: int = 300_000
    depth_limit: int = 8  # levels of children below a root
    fanout_limit: int = 500  # children of one run

    slots: int = 8  # resident runs per worker process
    lease_seconds: float = 60
    renew_seconds: float = 15
    resident_sleep_ms: int = 1_000  # a longer sleep parks
    drain_seconds: float = 3  # how long a stopping worker waits for its residents
    max_crashes: int = 3  # a run that took its worker down this often fails as interrupted
    clock_seconds: float = 0.25  # how often the clock looks
    renudge_seconds: float = 2  # queued for longer than this and not claimed: nudge again

    retention_days: int = 0  # after so many days ended runs are deleted; 0 is never; a script may say otherwise

    http_allow_hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()  # networks of those whose X-Forwarded-For is believed
    base_url: str = "http://127.0.0.1:8000"

    api_rate: int = 600  # requests a minute of one key or token
    api_max_bytes: int = MIB  # of the body of one

    llm_base_url: str = ""  # the agent `llm` asks {llm_base_url}/chat/completions; off while this or the model is empty
    llm_model: str = ""
    llm_api_key: str = field(default="", repr=False)
    llm_timeout_seconds: float = 120  # for one request


@cache
def conf() -> Conf:
    """The settings in force; raises `ImproperlyConfigured` on a name that does not exist."""
    given: dict[str, Any] = dict(getattr(settings, "DAYBOOK", {}))
    known = {each.name for each in fields(Conf)}
    if unknown := sorted(set(given) - known):
        raise ImproperlyConfigured(
            f"DAYBOOK has no setting {', '.join(unknown)}; there are: {', '.join(sorted(known))}"
        )
    for name, value in given.items():
        if name != "retention_days" and isinstance(value, int | float) and value <= 0:
            raise ImproperlyConfigured(f"DAYBOOK[{name!r}] is {value}; it has to be above 0")
    return Conf(**given)


def _forget(*, setting: str, **_: Any) -> None:
    if setting == "DAYBOOK":
        conf.cache_clear()


setting_changed.connect(_forget)
