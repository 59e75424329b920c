"""A script that has failed is mended and goes on: a dry run with exact lists, then no completed call a second time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases.replaying import assert_replay_agrees
from commanding import Server, command, serving
from django.core import mail

from journal import store
from runs import examples
from runs.models import Run
from runs.workers.inline import Inline

pytestmark = pytest.mark.django_db(transaction=True)
GOOD = examples.load("nightly_report").source
BAD = GOOD.replace("ctx.call('store.put', { key: `nightly-report.${day}`", "ctx.call('store.put', { key: ' '")


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    settings.DAYBOOK = {**settings.DAYBOOK, "http_allow_hosts": ("127.0.0.1",), "resident_sleep_ms": 50}
    with serving() as made:
        yield made


@pytest.fixture
def failed(server: Server, tmp_path: Path) -> Run:
    assert BAD != GOOD
    (tmp_path / "bad.js").write_text(BAD)
    (tmp_path / "good.js").write_text(GOOD)
    given = f'{{"baseUrl": "{server.url}", "to": "ana@example.com"}}'
    assert command("startrun", str(tmp_path / "bad.js"), "--inline", "--input", given).code == 1
    return Run.objects.get()


def go_on(run_id: str) -> Run:
    """Advance the queued run in this process until it has ended."""
    here = Inline()
    while not (run := Run.objects.get(pk=run_id)).is_terminal:
        here.tend(run_id, 0.05)
    here.finish()
    return run


def calls(listed: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(call["callSeq"], call["what"]) for call in listed]


def test_the_dry_run_is_exact_and_the_run_finishes_without_a_completed_call_again(
    failed: Run, server: Server, tmp_path: Path
) -> None:
    before = store.read(failed.journal_id)
    good = str(tmp_path / "good.js")
    told = command("retryrun", failed.pk, "--source", good, "--dry-run", "--json").succeeded().json
    asked = [entry for entry in before if entry.kind == "call"]
    assert [entry.body["tool"] for entry in asked] == ["http.request", "http.request", "store.put"]
    first, second, put = (entry.call_seq for entry in asked)
    last = max(entry.call_seq for entry in before)
    assert calls(told["reused"]) == [(first, "http.request"), (second, "http.request")]
    assert calls(told["new"]) == [(last + 1, "store.put")]
    assert told["new"][0]["input"]["key"].startswith("nightly-report.")
    assert told["new"][0]["line"] == 25
    assert calls(told["orphans"]) == [(put, "store.put")]
    assert told["diverged"]
    assert (told["stands"]["settled"], calls(told["stands"]["open"])) == (False, calls(told["new"]))

    assert store.read(failed.journal_id) == before, "a dry run writes nothing"
    untouched = Run.objects.get()
    assert (untouched.status, untouched.attempt, untouched.source.text) == ("failed", 1, BAD)

    command("retryrun", failed.pk, "--source", good).succeeded()
    queued = Run.objects.get()
    assert (queued.status, queued.attempt, queued.error, queued.finished_at) == ("queued", 2, None, None)
    run = go_on(failed.pk)
    assert (run.status, run.output["well"], run.source.text) == ("succeeded", 2, GOOD)
    assert sorted(server.asked) == ["/healthz", "/login/"], "no page was asked for twice"
    assert len(mail.outbox) == 1
    assert [entry.body for entry in store.read(run.journal_id)][: len(before)] == [entry.body for entry in before]


def test_history_stays_readable_and_says_which_attempt_left_what_behind(failed: Run, tmp_path: Path) -> None:
    command("retryrun", failed.pk, "--source", str(tmp_path / "good.js")).succeeded()
    go_on(failed.pk)
    rows = dict(failed.journal.entries.values_list("seq", "superseded_by"))
    left = [seq for seq, attempt in rows.items() if attempt == 2]
    put = [entry for entry in store.read(failed.journal_id) if entry.body.get("tool") == "store.put"]
    assert put[0].seq in left
    assert put[1].seq not in left
    assert put[0].call_seq != put[1].call_seq, "a callSeq is never given to two calls"


def test_a_source_that_does_not_pass_the_lint_is_refused(failed: Run, tmp_path: Path) -> None:
    (tmp_path / "worse.js").write_text("export default () => Date.now()")
    command("retryrun", failed.pk, "--source", str(tmp_path / "worse.js")).refused("line 1")
    assert Run.objects.get().status == "failed"


def test_what_the_script_comes_to_behind_a_new_call_is_answered_and_not_executed_again(
    failed: Run, server: Server, tmp_path: Path
) -> None:
    first = "await ctx.call('echo', { v: 'first of all' });\n  await ctx.plan({ title"
    (tmp_path / "more.js").write_text(GOOD.replace("await ctx.plan({ title", first))
    told = command("retryrun", failed.pk, "--source", str(tmp_path / "more.js"), "--json").succeeded().json
    assert calls(told["reused"]) == []
    assert [what for _, what in calls(told["new"])] == ["echo"]
    assert [(call["what"], call["kept"]) for call in told["orphans"]] == [
        ("http.request", True),
        ("http.request", True),
        ("store.put", False),
    ]
    run = go_on(failed.pk)
    assert (run.status, run.output["well"]) == ("succeeded", 2)
    assert sorted(server.asked) == ["/healthz", "/login/"], "no page was asked for twice"
    assert_replay_agrees(run)
