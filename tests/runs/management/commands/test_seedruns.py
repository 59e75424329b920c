"""The command that makes test data."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from runs.commands.progress import Progress
from runs.models import Run

pytestmark = pytest.mark.django_db


def printed(*arguments: str) -> str:
    out = io.StringIO()
    call_command("seedruns", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_it_says_what_it_would_make_and_makes_nothing() -> None:
    assert printed("--runs", "1500", "--dry-run") == "1,500 runs would be made; 0 are there\n"
    told = json.loads(printed("--runs", "20", "--dry-run", "--json"))
    assert told == {"runs": 20, "there": 0, "dryRun": True, "missing": 20}
    assert not Run.objects.exists()


def test_it_makes_them_and_says_how_many() -> None:
    told = json.loads(printed("--runs", "30", "--entries", "--json"))
    assert (told["made"], told["there"]) == (30, 0)
    assert told["entries"] > 60
    assert "0 runs with 0 entries made" in printed("--runs", "30")


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(CommandError, match="whole number of at least 1"):
        printed("--runs", "0")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def write(self, text: str, *_: object, ending: str = "") -> int:  # type: ignore[override]
        return super().write(text)


def test_progress_shows_on_a_terminal_and_nowhere_else() -> None:
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        progress = Progress(stream, 200)
        progress.advance(100)
        progress.advance(100)
        progress.end()
        assert ("200 of 200" in stream.getvalue()) == shown
        assert bool(stream.getvalue()) == shown
