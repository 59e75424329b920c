"""Starting a run: what is kept, what is refused, and that nothing is left behind."""

import pytest
from django.test import override_settings
from django_q.models import OrmQ

from journal.models import Journal
from runs.errors import BadInput, BadSource
from runs.models import Run, Source
from runs.starting import start

pytestmark = pytest.mark.django_db
SCRIPT = "export default async (input) => input"


def nothing_is_left() -> bool:
    return not (Run.objects.exists() or Source.objects.exists() or Journal.objects.exists() or OrmQ.objects.exists())


def test_a_started_run_is_queued_with_its_journal_and_a_nudge() -> None:
    started = start(SCRIPT, input={"a": [1, "\x00", "\ud800"]}, title="First")
    run = Run.objects.get(pk=started.run.pk)
    assert started.created
    assert (run.status, run.title, run.kind, run.queue) == ("queued", "First", "workflow", "interactive")
    assert run.input == {"a": [1, "\x00", "\ud800"]}
    assert (run.root_id, run.parent_id, run.depth, run.attempt) == (run.pk, None, 0, 1)
    assert run.journal.next_seq == 1
    assert OrmQ.objects.count() == 1


def test_a_source_is_stored_once_per_content() -> None:
    runs = [start(SCRIPT).run for _ in range(3)]
    assert Source.objects.count() == 1
    assert Source.objects.get().text == SCRIPT
    assert {run.source_id for run in runs} == {Source.objects.get().sha256}


def test_the_same_key_returns_the_first_run_and_starts_nothing() -> None:
    first = start(SCRIPT, key="a/b?c#d", input=1)
    again = start("export default async () => 2", key="a/b?c#d", input=2)
    assert (again.run.pk, again.created) == (first.run.pk, False)
    assert Run.objects.count() == 1


@pytest.mark.parametrize("key", ["", "   ", "\t\n", "x" * 501, "a\x00b", "\ud800"])
def test_a_key_that_names_nothing_is_refused(key: str) -> None:
    with pytest.raises(BadInput, match="idempotency key"):
        start(SCRIPT, key=key)
    assert nothing_is_left()


@pytest.mark.parametrize("key", ["k" * 300, "a/b?c#d", "🗝️"])
def test_c42_odd_keys_that_name_something_are_taken(key: str) -> None:
    assert start(SCRIPT, key=key).run.idempotency_key == key


def test_a_script_that_does_not_pass_the_lint_is_refused_with_all_places() -> None:
    with pytest.raises(BadSource, match="line 1") as refused:
        start("export default async () => Date.now() + Math.random()")
    assert [finding.rule for finding in refused.value.findings] == ["no-clock", "no-random"]
    assert nothing_is_left()


def test_a_script_beyond_the_limit_is_refused_with_both_sizes() -> None:
    with (
        override_settings(DAYBOOK={"source_max_bytes": 100}),
        pytest.raises(BadSource, match=r"200 bytes.*100") as refused,
    ):
        start(SCRIPT.ljust(200))
    assert refused.value.code == "source-too-large"
    assert nothing_is_left()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"input": float("nan")}, "NaN"),
        ({"input": {"a": 2**53}}, "input.a"),
        ({"input": "x" * 300_000}, "the limit is"),
        ({"queue": "fast"}, "interactive, background"),
        ({"title": "a\x00"}, "title"),
        ({"title": "t" * 201}, "200"),
        ({"budget": {"cpu": 1}}, "cpuMs"),
        ({"budget": {"cpuMs": -1}}, "above 0"),
        ({"budget": {"wallSeconds": 3e11}}, "up to"),
    ],
)
def test_bad_input_is_refused_by_name_and_leaves_nothing(given: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        start(SCRIPT, **given)  # type: ignore[arg-type]
    assert nothing_is_left()


def test_a_burst_of_starts_sends_one_nudge() -> None:
    for _ in range(20):
        start(SCRIPT)
    assert OrmQ.objects.count() == 1
