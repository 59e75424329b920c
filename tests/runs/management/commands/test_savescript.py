"""savescript, and startrun of what it has saved."""

from collections.abc import Callable
from unittest import mock

import pytest
from commanding import command

from runs import queue, starting
from runs.models import Run, Script

Write = Callable[..., str]
pytestmark = pytest.mark.django_db(transaction=True)


def test_it_prints_name_and_version(script: Write) -> None:
    first, second = script("return 1", "1.js"), script("return 2", "2.js")
    saved = [command("savescript", "report", name).succeeded().out.strip() for name in (first, second, first)]
    assert saved == ["report@1", "report@2", "report@1"]


def test_with_json_it_prints_one_object(script: Write) -> None:
    done = command("savescript", "report", script("return 1"), "--description", "Nightly", "--json").succeeded()
    assert done.json == {"script": "report@1", "name": "report", "version": 1}
    assert Script.objects.get().description == "Nightly"


def test_a_script_that_does_not_pass_the_lint_is_refused_with_its_places(script: Write) -> None:
    name = script("return Date.now()")
    command("savescript", "report", name).refused("not saved, the script has 1 error", f"{name}:2:", "no-clock")
    command("savescript", "No Name", script("return 1")).refused("no name of a script")
    assert not Script.objects.exists()


def test_startrun_starts_the_newest_version_or_the_one_of_a_number(script: Write) -> None:
    command("savescript", "report", script("return 'old'", "1.js"))
    command("savescript", "report", script("return 'new'", "2.js"))
    newest = command("startrun", "--script", "report", "--inline", "--json").succeeded().json
    first = command("startrun", "--script", "report@1", "--inline", "--json").succeeded().json
    assert (newest["output"], first["output"]) == ("new", "old")
    shown = command("showrun", first["id"]).succeeded()
    assert "script report@1" in shown.out
    assert command("showrun", first["id"], "--json").json["script"] == "report@1"


def test_startrun_wants_a_file_or_a_name_and_not_both(script: Write) -> None:
    command("startrun").refused("FILE", "--script", "required")
    command("startrun", script("return 1"), "--script", "report").refused("not allowed with")
    command("startrun", "--script", "report").refused("no script of that name")
    assert not Run.objects.exists()


def test_startrun_takes_a_concurrency_key_and_showrun_says_so(script: Write) -> None:
    name = script("return 1")
    run_id = command("startrun", name, "--concurrency-key", "tenant 7", "--limit", "2").succeeded().out.strip()
    run = Run.objects.get()
    assert (run.concurrency_key, run.concurrency_limit) == ("tenant 7", 2)
    assert "at most 2 of tenant 7 running" in command("showrun", run_id).out
    Run.objects.update(held_back=True)
    assert "Queued: waits for a place among 2 of key tenant 7" in command("showrun", run_id).out
    command("startrun", name, "--limit", "2").refused("concurrency key")
    command("startrun", name, "--concurrency-key", "k", "--limit", "0").refused("from 1 to 32767")


def test_startrun_inline_waits_for_a_place_as_any_other_run(script: Write) -> None:
    name = script("return 1")
    starting.start("export default async () => 1", concurrency_key="k")
    queue.claim("somebody")
    with mock.patch.object(queue, "claim", wraps=queue.claim) as claims:
        done = command("startrun", name, "--concurrency-key", "k", "--inline", "--wait", "0.5")
    assert (done.code, "is queued" in done.err) == (3, True)
    assert Run.objects.get(pk=done.out.strip()).held_back
    assert claims.call_count < 12, "it asks without a pause"
