"""Firings under real concurrency: schedulers that look at once, messages that are delivered to many at once."""

import threading
from collections.abc import Callable
from typing import Any

from cases.engines import BOTH
from cases.installation import Installation, script
from django.db import connections
from django.utils import timezone
from django_q.models import Schedule
from django_q.scheduler import scheduler

from runs import library, tasks
from runs.models import Run
from runs.schedules import all_schedules, schedule

pytestmark = BOTH
RUNNING = False


def at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    """What `count` threads return that do the work at the same time, each on its own connection."""
    answers: list[Any] = []
    failures: list[BaseException] = []
    together = threading.Barrier(count)

    def guarded() -> None:
        try:
            together.wait()
            answers.append(work())
        except BaseException as error:  # noqa: BLE001  (raised again below)
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return answers


class Sent:
    """A broker that keeps what is enqueued, for schedulers of several clusters."""

    list_key = "kept"

    def __init__(self) -> None:
        self.packs: list[str] = []

    def enqueue(self, pack: str) -> int:
        self.packs.append(pack)
        return len(self.packs)


def test_schedulers_that_look_at_once_and_messages_to_many_start_one_run_for_each_firing(house: Installation) -> None:
    from django_q.signing import SignedPackage

    library.save("report", script("return 1"))
    for number in range(5):
        schedule(f"s{number}", "report", minutes=60)
    Schedule.objects.update(next_run=timezone.now())
    sent = Sent()
    at_once(6, lambda: scheduler(sent))
    firings = [SignedPackage.loads(pack)["kwargs"] for pack in sent.packs]
    assert sorted(firing["name"] for firing in firings) == [f"s{number}" for number in range(5)]
    for firing in firings:
        assert len(set(at_once(6, lambda firing=firing: tasks.fire_schedule(**firing)))) == 1
    assert Run.objects.filter(origin="schedule").count() == 5


def test_one_schedule_made_by_many_at_once_is_one(house: Installation) -> None:
    library.save("report", script("return 1"))
    at_once(8, lambda: schedule("same", "report", minutes=60))
    assert [one.name for one in all_schedules()].count("same") == 1


def test_a_cluster_fires_a_schedule(house: Installation) -> None:
    """The last test of this module: from here on a cluster runs; it looks for schedules twice a minute."""
    library.save("report", script("return input"))
    schedule("real", "report", minutes=600, input="from q2")
    Schedule.objects.filter(name="real").update(next_run=timezone.now())
    house.begin()
    from helpers import eventually

    run = eventually(lambda: Run.objects.filter(title__startswith="real,").first(), every=0.2)
    assert house.succeeded(run).output == "from q2"
