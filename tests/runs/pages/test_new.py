"""Starting a run from the form: what it is filled with, what is refused, and that one form starts one run."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from filling import fields_of

from runs import library
from runs.models import Run
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return input }"


def value(html: str, name: str) -> str:
    return fields_of(html)[name]


def shown(browser: Client, query: str = "", status: int = 200) -> str:
    answer = browser.get(f"/runs/new{query}")
    assert answer.status_code == status
    return answer.content.decode()


def sent(browser: Client, **fields: str) -> Any:
    return browser.post("/runs/new", {"source": SOURCE, "once": "a"} | fields)


def test_a_run_is_started_with_its_input_and_title(browser: Client, owner: User) -> None:
    answer = sent(browser, input='{"n": 1}', title="Mine")
    run = Run.objects.get()
    assert answer["Location"] == f"/runs/{run.pk}/"
    assert (run.input, run.title, run.owner, run.origin) == ({"n": 1}, "Mine", owner, "page")


def test_line_ends_of_browsers_are_those_of_scripts(browser: Client) -> None:
    sent(browser, source=SOURCE.replace("{", "{\r\n"), input="")
    run = Run.objects.select_related("source").get()
    assert run.source is not None
    assert run.source.text == SOURCE.replace("{", "{\n")
    assert run.input is None


def test_one_form_sent_twice_starts_one_run(browser: Client) -> None:
    once = value(shown(browser), "once")
    assert len(once) == 64
    first, second = sent(browser, once=once), sent(browser, once=once)
    assert first["Location"] == second["Location"]
    assert Run.objects.count() == 1
    assert "not started a second time" in browser.get(second["Location"]).content.decode()
    sent(browser, once=once, input="2")
    assert Run.objects.count() == 2, "a form that was edited after going back is another run"
    assert value(shown(browser), "once") != once


def test_what_lint_refuses_is_told_with_its_place_and_nothing_is_lost(browser: Client) -> None:
    bad = "export default async (input, ctx) => {\n  return Math.random() + '</textarea><b>'\n}"
    answer = sent(browser, source=bad, input='{"a": 1}', title="T & T")
    assert answer.status_code == 422
    html = answer.content.decode()
    assert not Run.objects.exists()
    assert (value(html, "source"), value(html, "input"), value(html, "title")) == (bad, '{"a": 1}', "T & T")
    assert value(html, "once") == "a"
    assert "The script has 1 error." in html
    assert ">2:10</a>" in html
    assert "<b>" not in html
    assert re.search(r'<textarea name="source"[^>]*aria-invalid="true"[^>]*aria-describedby="id_source_error"', html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1,\n  b}', "Not JSON at line 2, column 3"),
        ('{"a": 1, "a": 2}', "twice"),
        ("NaN", "NaN is not JSON"),
        ("9007199254740993", "9007199254740993"),
    ],
)
def test_an_input_that_is_no_json_is_told_with_its_place(browser: Client, text: str, expected: str) -> None:
    answer = sent(browser, input=text)
    html = unescape(answer.content.decode())
    assert answer.status_code == 422
    assert expected in html
    assert value(html, "input") == text
    assert 'id="id_input_error"' in html
    assert not Run.objects.exists()


def test_an_empty_script_and_a_long_title_are_told(browser: Client) -> None:
    html = sent(browser, source=" ", title="x" * 201).content.decode()
    assert "Write a script, or begin with an example." in html
    assert "at most 200 characters" in html


def test_an_example_fills_the_form(browser: Client) -> None:
    html = shown(browser, "?example=welcome")
    assert "export default" in value(html, "source")
    assert value(html, "title") == "Welcome"


def test_a_script_of_the_library_fills_the_form_and_is_remembered_while_unchanged(browser: Client) -> None:
    library.save("greet", SOURCE)
    html = shown(browser, "?script=greet@1")
    fields = {name: value(html, name) for name in ("source", "title", "script", "once")}
    assert fields["script"] == "greet@1"
    sent(browser, **fields)
    assert str(Run.objects.get().script_version) == "greet@1"
    sent(browser, **fields | {"source": SOURCE + " "})
    assert Run.objects.order_by("pk").filter(script_version=None).count() == 1


def test_another_run_fills_the_form(browser: Client, owner: User) -> None:
    given = {"who": "Ada", "odd": "\ud800</script>"}
    run = start(SOURCE, input=given, title="Greeting", owner=owner).run
    html = shown(browser, f"?from={run.pk}")
    assert json.loads(value(html, "input")) == given
    assert value(html, "title") == "Greeting"
    sent(browser, source=value(html, "source"), input=value(html, "input"))
    assert Run.objects.order_by("pk").last().input == given  # type: ignore[union-attr]


@pytest.mark.parametrize("query", ["?example=../../etc", "?script=nothing", "?script=%00", "?from=nothing"])
def test_what_is_not_there_is_told(browser: Client, query: str) -> None:
    assert 'role="alert"' in shown(browser, query, 404)


def test_the_run_of_somebody_else_fills_nothing(person: Callable[..., User], run: Run) -> None:
    browser = Client()
    browser.force_login(person("bob", "start"))
    assert "Greeting" not in shown(browser, f"?from={run.pk}", 404)


def test_who_may_not_start_runs_is_told_so(person: Callable[..., User], caplog: pytest.LogCaptureFixture) -> None:
    bob = person("bob")
    browser = Client()
    browser.force_login(bob)
    for answer in (browser.get("/runs/new"), sent(browser)):
        assert answer.status_code == 403
        assert "You may not start runs" in answer.content.decode()
    assert caplog.messages.count(f"refused user={bob.pk} verb=start run=-") == 2
    assert not Run.objects.exists()
    assert "/runs/new" not in browser.get("/runs/").content.decode()


def lint(browser: Client, **fields: str) -> Any:
    answer = browser.post("/runs/lint/", fields)
    assert answer.status_code == 200
    return answer.json()


def test_lint_answers_with_findings(browser: Client) -> None:
    found = lint(browser, source="export default async () => {\r\n  return Date.now()\r\n}")
    assert [(each["line"], each["column"], each["severity"]) for each in found["findings"]] == [(2, 10, "error")]
    assert found["source"] == found["input"] == ""
    assert lint(browser, source=SOURCE)["findings"] == []


def test_lint_answers_about_the_input_and_about_size(browser: Client) -> None:
    assert "line 1, column 2" in lint(browser, input="{x")["input"]
    assert lint(browser, input=" ")["input"] == ""
    assert "the limit is" in lint(browser, source="x" * 300_000)["source"]


def test_lint_is_for_who_may_start_runs(person: Callable[..., User]) -> None:
    assert Client().post("/runs/lint/", {"source": "x"}).status_code == 302
    browser = Client()
    browser.force_login(person("bob"))
    assert browser.post("/runs/lint/", {"source": "x"}).status_code == 403
