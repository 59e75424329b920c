"""sweepruns: one look of the clock, told in words or as one JSON object."""

import pytest
from commanding import command
from django.utils import timezone
from django_q.models import OrmQ
from helpers import House, free_port

from runs import queue, starting
from runs.lifecycle import Move, move
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


def park() -> Run:
    run = starting.start("export default () => 1").run
    queue.claim("worker")
    OrmQ.objects.all().delete()  # the worker that parked it has taken its nudge
    assert move(Run.objects.filter(pk=run.pk), Move.PARK, wake_at=timezone.now(), wait=[])
    return run


def test_it_wakes_what_is_due_and_says_what_moved() -> None:
    run = park()
    assert "woke 1" in command("sweepruns").succeeded().out
    run.refresh_from_db()
    assert run.status == "queued"


def test_json_counts_every_kind_of_move() -> None:
    park()
    value = command("sweepruns", "--json").succeeded().json
    assert value == {"woken": 1, "requeued": 0, "interrupted": 0, "timedOut": 0, "nudged": 0}


def test_with_nothing_to_move_it_says_so() -> None:
    assert command("sweepruns").succeeded().out == "nothing to move\n"


def test_a_database_that_does_not_answer_is_exit_code_3_and_no_traceback(make_house) -> None:
    house: House = make_house(DATABASE_URL=f"postgres://nobody@127.0.0.1:{free_port()}/none")
    for arguments in (["sweepruns"], ["showrun", "01m8"], ["startrun", "-"]):
        done = house.manage(*arguments, check=False)
        assert done.returncode in (2, 3), done.stderr
        assert "Traceback" not in done.stderr


def test_a_database_without_tables_is_told_to_migrate(tmp_path) -> None:
    done = House(tmp_path).manage("sweepruns", "--json", check=False)
    assert done.returncode == 3
    assert "manage.py migrate" in done.stderr
    assert '"code": "database"' in done.stdout
