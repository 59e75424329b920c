"""The one JSON shape of a run: the same for `showrun --json`, the export and the API."""

import json
from datetime import datetime

import pytest
from django.contrib.auth.models import User
from going import begun

from runs.reading.facts import facts

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_says_whose_it_is_and_where_it_stands_in_its_tree() -> None:
    run = begun("return input", input={"n": 1}, title="One", owner=User.objects.create_user("ada"), key="k 1")
    told = facts(run)
    assert (told["id"], told["root"], told["parent"], told["owner"]) == (run.pk, run.pk, None, "ada")
    assert (told["status"], told["output"], told["key"], told["agent"]) == ("succeeded", {"n": 1}, "k 1", None)
    assert datetime.fromisoformat(told["finishedAt"]) == run.finished_at
    json.dumps(told, allow_nan=False)


def test_a_parked_run_tells_what_a_signal_can_answer() -> None:
    run = begun("return ctx.waitForEvent({signal: 'go'}, {label: 'Sign-off', timeout: ctx.hours(1)})")
    (wait,) = facts(run)["openWaits"]
    assert (wait["callSeq"], wait["match"], wait["label"]) == (1, {"signal": "go"}, "Sign-off")
    assert wait["until"] == round(run.wake_at.timestamp() * 1000)
    assert wait["waitId"]


def test_a_run_that_does_not_wait_has_no_open_waits() -> None:
    assert facts(begun("return 1"))["openWaits"] == []
