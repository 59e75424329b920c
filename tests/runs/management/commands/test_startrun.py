"""startrun: what it starts, what it prints, and that bad input is a message and leaves no row."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commanding import command
from django.core import mail
from django.db import connections
from django_q.models import OrmQ
from helpers import eventually

from journal.models import Journal
from runs import audit, starting
from runs.commands import attending
from runs.lifecycle import Move, move
from runs.models import Run, Source
from runs.workers.inline import Inline

Write = Callable[..., str]
pytestmark = pytest.mark.django_db(transaction=True)


def nothing_was_left_behind() -> None:
    assert not Run.objects.exists()
    assert not Journal.objects.exists()
    assert not Source.objects.exists()
    assert not OrmQ.objects.exists()


def test_it_prints_the_id_of_the_run_that_it_queued(script: Write) -> None:
    done = command(
        "startrun", script("return input.n"), "--input", '{"n": 1}', "--title", "One", "--queue", "background"
    )
    run = Run.objects.get(pk=done.succeeded().out.strip())
    assert (run.status, run.input, run.title, run.queue) == ("queued", {"n": 1}, "One", "background")
    assert run.origin == "startrun"


def test_without_a_title_a_run_is_named_as_its_file(tmp_path: Path, script: Write) -> None:
    source = Path(script("return 1")).read_bytes()
    for name, title in [("nightly report.js", "nightly report"), ("a\nb.js", ""), ("x" * 210 + ".js", "x" * 200)]:
        (tmp_path / name).write_bytes(source)
        run_id = command("startrun", str(tmp_path / name)).succeeded().out.strip()
        assert Run.objects.get(pk=run_id).title == title
    run_id = command("startrun", "-", stdin=source).succeeded().out.strip()
    assert Run.objects.get(pk=run_id).title == ""


def test_with_json_it_prints_one_object(script: Write) -> None:
    value = command("startrun", script("return 1"), "--json").succeeded().json
    assert value == {"id": Run.objects.get().pk, "status": "queued", "output": None, "error": None} | {
        "created": True,
        "differs": [],
        "findings": [],
    }


def test_script_and_input_come_from_files_or_standard_input(tmp_path: Path, script: Write) -> None:
    (tmp_path / "input.json").write_text('{"n": 2}')
    name = script("return input.n")
    from_file = command("startrun", name, "--input", f"@{tmp_path / 'input.json'}", "--inline", "--json")
    assert from_file.succeeded().json["output"] == 2
    from_stdin = command("startrun", name, "--input", "@-", "--inline", "--json", stdin=b'{"n": 3}')
    assert from_stdin.succeeded().json["output"] == 3
    source = Path(name).read_bytes()
    assert command("startrun", "-", "--input", '{"n": 4}', "--inline", "--json", stdin=source).json["output"] == 4


BAD_INPUT = [
    ('{"a":', "line 1, column 6"),
    ("NaN", "NaN is not JSON"),
    ('{"a": [-Infinity]}', "-Infinity is not JSON"),
    ("1e999", "Infinity"),
    ("123456789012345678901", "2^53-1"),
    ("9" * 5000, "--input"),
    ("[" * 100_000, "nested too deeply"),
    ('{"a": 1, "a": 2}', "'a' twice"),
    ('"\udcff"', "not UTF-8"),
    ("", "not JSON"),
    ("@nowhere.json", "no file 'nowhere.json'"),
    ("values.json", "write @values.json"),
    (json.dumps("x" * 300_000), "limit"),
]


@pytest.mark.parametrize(("given", "words"), BAD_INPUT, ids=[words for _, words in BAD_INPUT])
def test_bad_input_is_a_message_and_leaves_no_row(script: Write, given: str, words: str) -> None:
    command("startrun", script("return 1"), "--input", given).refused(words)
    error = command("startrun", script("return 1"), "--input", given, "--json").refused().json["error"]
    assert error["code"] == "invalid-input"
    assert words in error["message"]
    nothing_was_left_behind()


def test_a_script_that_cannot_be_read_is_a_message(tmp_path: Path, script: Write) -> None:
    command("startrun", str(tmp_path / "none.js")).refused("no file", "none.js")
    command("startrun", str(tmp_path)).refused("is a directory")
    (tmp_path / "latin.js").write_bytes(b"export default () => 1;\n// \xe9")
    command("startrun", str(tmp_path / "latin.js")).refused("not UTF-8", "line 2", "0xe9")
    command("startrun", "a\0b").refused("cannot be read")
    command("startrun", "-", "--input", "@-", stdin=b"1").refused("both the script and the input")
    command("startrun", script(f"// {'x' * 300_000}")).refused("limit")
    nothing_was_left_behind()


def test_every_finding_of_the_lint_is_shown_with_its_place_and_excerpt(script: Write) -> None:
    name = script("  ctx.sleep(5);\n  const now = Date.now();\n  return Math.random();")
    done = command("startrun", name).refused(f"{name}:3:15: error", f"{name}:4:10: error", "> 4 |")
    assert "2 errors, 1 warning" in done.err
    assert done.err.count(f"{name}:2:3: warning") == 1
    error = command("startrun", name, "--json").refused().json["error"]
    assert error["code"] == "lint"
    assert [(finding["line"], finding["column"]) for finding in error["findings"]] == [(2, 3), (3, 15), (4, 10)]
    nothing_was_left_behind()


def test_bad_usage_is_exit_code_2_and_one_json_object(script: Write) -> None:
    name = script("return 1")
    command("startrun").refused("FILE", "--help")
    command("startrun", name, "--queue", "fast").refused("no queue 'fast'", "interactive, background")
    command("startrun", name, "--key", "").refused("key is empty")
    command("startrun", name, "--key", " \t").refused("key is empty")
    command("startrun", name, "--key", "x" * 501).refused("501 characters")
    command("startrun", name, "--title", "x" * 201).refused("201 characters")
    command("startrun", name, "--wait", "soon").refused("takes seconds")
    command("startrun", name, "--wait", "nan").refused("finite")
    command("startrun", name, "--nonsense").refused("--nonsense")
    assert command("startrun", "--wait", name, "--json").refused().json["error"]["code"] == "usage"
    nothing_was_left_behind()


@pytest.mark.parametrize("key", ["x" * 300, "a/b?c#d", "☃ 🦊", "nightly"])
def test_the_same_key_returns_the_first_run_and_starts_nothing(script: Write, key: str) -> None:
    first = command("startrun", script("return 1"), "--key", key, "--json").succeeded().json
    again = command("startrun", script("return 2"), "--key", key, "--json").succeeded()
    assert [deed.verb for deed in audit.deeds(Run.objects.get())] == ["start"]
    assert first["created"]
    assert again.json == first | {"created": False, "differs": ["source"]}
    assert "before" in again.err
    assert Run.objects.count() == 1


def test_inline_executes_the_run_here_parks_included(script: Write, parks: None) -> None:
    name = script("await ctx.sleep(30);\nawait ctx.sleep(20);\nreturn ctx.call('echo', {v: input})")
    done = command("startrun", name, "--input", '"hello"', "--inline", "--json").succeeded()
    assert done.json["status"] == "succeeded"
    assert done.json["output"] == "hello"
    assert "call 2: sleeps 20 ms" in done.err
    assert 'echo {"v": "hello"}' in done.err


def test_the_journal_is_followed_on_standard_error_with_narration(script: Write) -> None:
    name = script(
        "await ctx.call('echo', {v: 1}, {description: 'Saying one'});\nawait ctx.log('warn', 'odd\\u001b[31m');"
    )
    done = command("startrun", name, "--inline").succeeded()
    assert done.out.strip() == Run.objects.get().pk
    assert 'call 1: Saying one (echo {"v": 1})' in done.err
    assert "warn: odd\\x1b[31m" in done.err
    assert "Succeeded in" in done.err


def test_a_failed_run_is_exit_code_1_with_its_error(script: Write) -> None:
    done = command("startrun", script("await ctx.call('ecko', {});"), "--inline", "--json")
    assert done.code == 1
    assert done.json["status"] == "failed"
    assert done.json["error"]["code"] == "unknown-tool"
    assert "> 2 | await ctx.call('ecko', {});" in done.err


def test_a_key_whose_run_has_failed_is_exit_code_1(script: Write) -> None:
    name = script("throw new Error('no')")
    assert command("startrun", name, "--key", "k", "--inline").code == 1
    again = command("startrun", name, "--key", "k", "--inline", "--json")
    assert (again.code, again.json["created"], again.json["status"]) == (1, False, "failed")


def test_what_a_tool_prints_does_not_reach_standard_output(script: Write, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    name = script("await ctx.call('mail.send', {to: 'a@example.com', subject: 'Hi', body: 'there'});")
    done = command("startrun", name, "--inline", "--json").succeeded()
    assert done.json["status"] == "succeeded"
    assert "Subject: Hi" in done.err
    assert not mail.outbox


def test_a_wait_that_is_over_is_exit_code_3_and_the_run_goes_on(script: Write) -> None:
    done = command("startrun", script("return 1"), "--wait", "0.05", "--json")
    assert done.code == 3
    assert done.json["status"] == "queued"
    assert "not ended within 0.05 s" in done.err
    assert "showrun" in done.err


def test_an_inline_run_that_is_out_of_time_is_handed_back(script: Write, settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "drain_seconds": 0.1}
    done = command("startrun", script("await ctx.sleep(900);"), "--inline", "--wait", "0.05", "--json")
    assert done.code == 3
    assert done.json["status"] == "waiting"
    assert Run.objects.get().lease_until is None


def test_wait_follows_a_run_that_a_worker_executes(script: Write) -> None:
    name = script("await ctx.call('echo', {v: 7}, {description: 'By a worker'});\nreturn 8")

    def work() -> None:
        try:
            run = eventually(lambda: Run.objects.filter(status="queued").first())
            here = Inline()
            eventually(lambda: here.tend(run.pk, 0.1) or Run.objects.get(pk=run.pk).is_terminal)
            here.finish()
        finally:
            connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    done = command("startrun", name, "--wait", "--json").succeeded()
    worker.join()
    assert done.json["output"] == 8
    assert "By a worker" in done.err


def test_waiting_for_a_run_that_was_canceled_is_exit_code_1(script: Write) -> None:
    name = script("return 1")
    run = starting.start(Path(name).read_text(), key="k").run
    error = {"code": "canceled", "message": "stopped", "line": 0, "excerpt": "", "callSeq": None}
    assert move(Run.objects.filter(pk=run.pk), Move.CANCEL, error=error, error_code="canceled")
    done = command("startrun", name, "--key", "k", "--wait", "--json")
    assert (done.code, done.json["status"]) == (1, "canceled")


@pytest.mark.parametrize("how", ["--inline"])
def test_a_chain_of_successors_is_followed_to_its_end(script: Write, how: str) -> None:
    name = script("if ((input || 0) < 2) await ctx.continueAsNew((input || 0) + 1); return 'end ' + input")
    done = command("startrun", name, how, "--json").succeeded()
    assert done.json["output"] == "end 2"
    assert done.err.count("continued as ") == 2


def test_warnings_do_not_stop_a_run_and_are_in_the_json(script: Write) -> None:
    value = command("startrun", script("ctx.sleep(5);"), "--json").succeeded().json
    assert [finding["severity"] for finding in value["findings"]] == ["warning"]


def test_what_differs_from_the_run_of_a_key_is_said(script: Write) -> None:
    name = script("return 1")
    command("startrun", name, "--key", "k", "--input", '{"a": 1, "b": 2}', "--title", "One").succeeded()
    same = command("startrun", name, "--key", "k", "--input", '{"b": 2, "a": 1}', "--title", "One", "--json")
    assert same.succeeded().json["differs"] == []
    other = command("startrun", name, "--key", "k", "--input", '{"a": true, "b": 2}', "--title", "Two", "--json")
    assert other.succeeded().json["differs"] == ["input", "title"]
    assert "differs from what is given now: input, title" in other.err


def test_the_page_of_the_run_is_told_on_standard_error(script: Write, settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "base_url": "https://daybook.example.com"}
    done = command("startrun", script("return 1")).succeeded()
    assert f"https://daybook.example.com/runs/{done.out.strip()}/" in done.err


def test_waiting_without_a_worker_says_so_once(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attending, "UNCLAIMED_SECONDS", 0)
    done = command("startrun", script("return 1"), "--wait", "0.25")
    assert done.err.count("no worker has taken it; start manage.py up") == 1


def test_inline_leaves_out_what_workers_log_of_a_run(script: Write, caplog: pytest.LogCaptureFixture) -> None:
    command("startrun", script("return 1"), "--inline").succeeded()
    assert not [record for record in caplog.records if record.levelname == "INFO"]


def test_an_option_of_a_call_that_is_text_is_quoted_in_the_message(script: Write) -> None:
    name = script("await ctx.call('echo', {}, {timeoutMs: '5'});")
    message = command("startrun", name, "--inline", "--json").json["error"]["message"]
    assert 'timeoutMs is a number of at least 1, not "5"' in message
