"""When a realm is in a native call of the engine that ignores its interrupt, as seen from another thread."""

import time

from runs.conf import conf
from runs.realm import Realm


def stuck(realm: Realm | None) -> bool:
    """Far past the fuel on the wall clock: even with all threads busy an honest slice is stopped before. And its thread
    itself has used the fuel: a machine that slept or is overloaded is no offence."""
    fuel = conf().fuel_ms / 1000
    began = realm.slice_began if realm else None
    if realm is None or began is None or time.monotonic() - began <= fuel * 2 + 2:
        return False
    try:
        used = realm.slice_cpu()
    except OSError:  # its thread has just ended
        return False
    return used is None or used > fuel
