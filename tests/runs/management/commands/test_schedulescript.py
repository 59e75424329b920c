"""schedulescript and showschedules."""

import json

import pytest
from commanding import command
from django_q.models import Schedule

from runs import library

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _report() -> None:
    library.save("report", "export default async () => 1")


def test_it_tells_when_the_script_is_started() -> None:
    out = command("schedulescript", "nightly", "report", "--cron", "30 6 * * *").succeeded().out
    assert out.startswith("nightly: report by 30 6 * * *; next ")
    every = command("schedulescript", "often", "report@1", "--every", "5", "--json").succeeded().json
    assert (every["script"], every["minutes"], len(every["firings"]), every["removed"]) == ("report@1", 5, 3, False)


def test_the_list_shows_all_by_name_and_what_is_overdue() -> None:
    assert command("showschedules").succeeded().err.startswith("Nothing is scheduled")
    command("schedulescript", "b", "report", "--every", "5", "--input", '{"n": 1}', "--title", "B")
    command("schedulescript", "a", "report", "--cron", "@daily", "--queue", "interactive")
    Schedule.objects.filter(name="b").update(next_run="2020-01-01T00:00Z")
    first, second = command("showschedules").succeeded().out.splitlines()
    assert first.startswith("a: report by @daily; next ")
    assert second.startswith("b: report every 5 min; due since 2020-01-01 00:00 UTC, then ")
    listed = command("showschedules", "--json").succeeded().json["schedules"]
    assert [(one["name"], one["input"], one["queue"], one["title"]) for one in listed] == [
        ("a", None, "interactive", ""),
        ("b", {"n": 1}, "background", "B"),
    ]


def test_remove_takes_it_away_and_says_when_there_is_none() -> None:
    command("schedulescript", "nightly", "report", "--every", "5")
    assert command("schedulescript", "nightly", "--remove").succeeded().out == "removed nightly\n"
    command("schedulescript", "nightly", "--remove").refused("there is no schedule 'nightly'")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["n", "report"], "either a cron line or"),
        (["n"], "name the script"),
        (["n", "report", "--cron", "* * * *"], "it has 4 fields"),
        (["n", "report", "--every", "soon"], "invalid int"),
        (["n", "report", "--every", "5", "--cron", "* * * * *"], "not allowed with"),
        (["n", "nothing", "--every", "5"], "no script of that name"),
        (["n", "report", "--every", "5", "--input", "{a:"], "not JSON"),
    ],
)
def test_what_cannot_fire_is_refused_with_a_reason(arguments: list[str], says: str) -> None:
    command("schedulescript", *arguments).refused(says)
    refused = command("schedulescript", *arguments, "--json")
    assert says in json.loads(refused.out)["error"]["message"]
    assert not Schedule.objects.exists()
