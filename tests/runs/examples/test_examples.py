"""Every example passes lint, says what it shows, and runs to success."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commanding import Server, command, serving
from django.core import mail

from runs import examples
from runs.lint import lint
from runs.models import Run

FOLDER = Path(examples.__file__).parent


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    """A server that scripts may ask; and sleeps of more than 50 ms park."""
    settings.DAYBOOK = {**settings.DAYBOOK, "http_allow_hosts": ("127.0.0.1",), "resident_sleep_ms": 50}
    with serving() as made:
        yield made


def output(name: str, given: str = "null") -> Any:
    """What the example returns when it is executed inline."""
    return (
        command("startrun", str(FOLDER / f"{name}.js"), "--inline", "--json", "--input", given)
        .succeeded()
        .json["output"]
    )


@pytest.mark.parametrize("name", examples.names())
def test_it_is_clean_and_says_what_it_shows_and_takes(name: str) -> None:
    example = examples.load(name)
    assert lint(example.source) == []
    assert len(example.summary) > 20
    assert "Input" in example.about


def test_there_are_examples_and_others_are_a_key_error() -> None:
    assert {example.name for example in examples.all_examples()} >= {"welcome", "nightly_report", "reminder"}
    with pytest.raises(KeyError):
        examples.load("../examples/welcome")


def test_every_example_is_executed_by_a_test_here() -> None:
    tested = {"welcome", "nightly_report", "retry_flaky", "reminder", "fan_out", "race"}
    assert set(examples.names()) == tested


@pytest.mark.django_db(transaction=True)
class TestExecuted:
    def test_welcome_needs_no_network(self) -> None:
        found = output("welcome", '{"name": "Ana"}')
        assert found["greeting"] == "Welcome to Daybook, Ana."
        assert (found["visits"], found["words"], found["server"]) == (1, 4, "not asked")
        run = Run.objects.get()
        assert {step["status"] for step in run.plan["steps"]} == {"done"}
        assert abs(found["endedAt"] / 1000 - run.finished_at.timestamp()) < 5

    def test_welcome_asks_the_server_and_goes_on_without_an_answer(self, server: Server) -> None:
        assert output("welcome", f'{{"baseUrl": "{server.url}"}}')["server"] == "well"
        assert output("welcome", '{"baseUrl": "http://127.0.0.1:1"}')["server"].startswith("no answer")

    def test_nightly_report_asks_keeps_and_mails(self, server: Server) -> None:
        found = output("nightly_report", f'{{"baseUrl": "{server.url}", "to": "ana@example.com"}}')
        assert (found["well"], found["of"]) == (2, 2)
        assert sorted(server.asked) == ["/healthz", "/login/"]
        assert [message.subject for message in mail.outbox] == ["2 of 2 pages are well"]

    def test_retry_flaky_is_answered_in_the_end(self, server: Server) -> None:
        server.answers = [None, None, 503, 200]
        found = output("retry_flaky", f'{{"url": "{server.url}/", "backoffMs": 20}}')
        assert found["reached"]
        assert found["answer"] == {"status": 200, "body": "ok\n", "asked": 2}

    def test_retry_flaky_catches_what_fails_for_good(self) -> None:
        found = output("retry_flaky", '{"backoffMs": 1}')
        assert not found["reached"]
        assert found["failure"]["code"] == "http-failed"

    def test_reminder_parks_and_then_mails(self, server: Server) -> None:
        found = output("reminder", '{"to": "ana@example.com", "afterMs": 80}')
        assert 80 <= found["waitedMs"] < 5000
        assert mail.outbox[0].to == ["ana@example.com"]

    def test_fan_out_reports_what_failed(self) -> None:
        found = output("fan_out")
        assert [one["item"] for one in found["found"]] == ["apples", "pears", "welcome.visits"]
        assert [(one["item"], one["code"]) for one in found["failed"]] == [(" ", "invalid-input")]

    def test_race_is_won_by_the_first(self, server: Server) -> None:
        assert output("race", f'{{"url": "{server.url}/healthz"}}') == {
            "winner": "hare",
            "first": "the call",
            "answered": 200,
        }


@pytest.mark.django_db(transaction=True)
def test_nightly_report_says_at_once_what_input_it_needs() -> None:
    done = command("startrun", str(FOLDER / "nightly_report.js"), "--inline", "--json")
    assert (done.code, done.json["error"]["callSeq"]) == (1, None)
    assert "needs {baseUrl}" in done.json["error"]["message"]
