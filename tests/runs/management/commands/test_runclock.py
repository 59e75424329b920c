"""runclock: it wakes what is due, survives a database that is away, and stops at once."""

import signal

import pytest
from commanding import command
from helpers import PATIENCE, House, eventually, free_port

PARKED = """
from datetime import timedelta
from django.utils import timezone
from runs import queue, starting
from runs.lifecycle import Move, move
from runs.models import Run
run = starting.start("export default () => 1").run
queue.claim("worker")
now = timezone.now()
move(Run.objects.filter(pk=run.pk), Move.PARK, wake_at=now, wait=[])
answer(run.pk)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_wakes_what_is_due_says_so_and_stops(house: House, number: signal.Signals) -> None:
    clock = house.start("runclock", "--interval", "0.02")
    eventually(lambda: "looks every 0.02 s" in house.log())
    house.shell(PARKED)
    eventually(lambda: "clock: woke 1" in house.log())
    clock.send_signal(number)
    assert clock.wait(timeout=PATIENCE) == 0
    assert "clock: stopped" in house.log()
    assert "Traceback" not in house.log()


def test_a_stop_does_not_wait_for_the_next_look(house: House) -> None:
    clock = house.start("runclock", "--interval", "3000")
    eventually(lambda: "looks every 3000 s" in house.log())
    clock.terminate()
    assert clock.wait(timeout=PATIENCE) == 0


def test_a_database_that_is_away_is_told_once_and_does_not_end_it(make_house) -> None:
    house = make_house(DATABASE_URL=f"postgres://nobody@127.0.0.1:{free_port()}/none")
    clock = house.start("runclock", "--interval", "0.02")
    eventually(lambda: "the database does not answer" in house.log())
    clock.terminate()
    assert clock.wait(timeout=PATIENCE) == 0
    assert house.log().count("the database does not answer") == 1
    assert "Traceback" not in house.log()


@pytest.mark.parametrize("given", ["x", "-1", "inf", "nan"])
def test_a_bad_interval_is_exit_code_2(given: str) -> None:
    command("runclock", f"--interval={given}").refused("takes", "seconds")


def test_a_bad_interval_speaks_of_no_file() -> None:
    assert "FILE" not in command("runclock", "--interval", "x").refused("not 'x'").err
