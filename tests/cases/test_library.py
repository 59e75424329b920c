"""Saving one script from many connections at once: every content one version, numbered without a gap."""

import threading

from cases.engines import BOTH
from cases.installation import Installation, script
from django.db import connections

from runs import library
from runs.models import ScriptVersion

pytestmark = BOTH
RUNNING = False


def test_versions_saved_at_once_are_numbered_without_gap_or_double(house: Installation) -> None:
    saved: list[tuple[int, str]] = []
    failures: list[BaseException] = []
    together = threading.Barrier(8)

    def save(first: int) -> None:
        try:
            together.wait()
            for n in range(10):  # everybody saves the same ten, each beginning elsewhere
                content = script(f"return {(first + n) % 10}")
                saved.append((library.save("busy", content).number, content))
        except BaseException as error:  # noqa: BLE001  (raised again below)
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=save, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    versions = ScriptVersion.objects.filter(script__name="busy").select_related("source")
    assert sorted(version.number for version in versions) == list(range(1, 11))
    assert len(saved) == 80
    assert set(saved) == {(version.number, version.source.text) for version in versions}
