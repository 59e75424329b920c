"""The agent `llm` against a server that speaks the protocol: what it sends, gives back, repairs and refuses."""

import json
import logging
from threading import Event
from typing import Any

import pytest

from runs import queue
from runs.agents import AgentContext, find_agent
from runs.conf import conf
from runs.family import make_children
from runs.host import NewChild
from runs.ids import new_id
from runs.models import Run
from runs.starting import start
from runs.tools import Outcome, execute
from runs.workers.resident import Resident

KEY = "sk-secret-7f3a"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def asked(given: Any, cancel: Event | None = None) -> Outcome:
    return execute(find_agent("llm"), given, AgentContext("run", 0, cancel=cancel or Event()))


def answered(given: Any) -> Any:
    outcome = asked(given)
    assert outcome.ok, outcome.value
    return outcome.value


def failed(given: Any) -> dict[str, Any]:
    outcome = asked(given)
    assert not outcome.ok, outcome.value
    assert KEY not in json.dumps(outcome.value)
    return outcome.value


def test_a_prompt_is_answered_with_text_and_usage(server: Any) -> None:
    server.says({"content": "Paris."})
    value = answered({"prompt": "Capital of France?", "system": "Be brief.", "temperature": 0, "max_tokens": 5})
    assert value == {
        "text": "Paris.",
        "result": None,
        "model": "tiny-1",
        "finishReason": "stop",
        "usage": {"requests": 1, "promptTokens": 10, "completionTokens": 2, "totalTokens": 12},
    }
    assert server.asked == [
        {
            "model": "tiny",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Capital of France?"},
            ],
            "temperature": 0,
            "max_tokens": 5,
        }
    ]
    assert (server.sent[0]["path"], server.sent[0]["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")


def test_messages_go_as_they_are_and_options_that_are_not_given_do_not(server: Any) -> None:
    server.says({"content": "two"})
    messages = [
        {"role": "user", "content": "one \ud800"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "and?"},
    ]
    answered({"messages": messages})
    assert server.asked == [{"model": "tiny", "messages": messages}]


def test_with_a_schema_the_result_comes_through_a_forced_tool_call(server: Any) -> None:
    server.returns({"city": "Paris"})
    value = answered({"prompt": "Capital?", "schema": CITY})
    assert (value["result"], value["text"]) == ({"city": "Paris"}, None)
    [body] = server.asked
    assert body["tool_choice"] == {"type": "function", "function": {"name": "return_result"}}
    [tool] = body["tools"]
    assert (tool["function"]["name"], tool["function"]["parameters"]) == ("return_result", CITY)


def test_a_result_that_is_no_object_is_wrapped_on_the_way(server: Any) -> None:
    server.returns({"value": [1, 2]})
    schema = {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}
    assert answered({"prompt": "Primes?", "schema": schema})["result"] == [1, 2]
    parameters = server.asked[0]["tools"][0]["function"]["parameters"]
    assert (parameters["type"], parameters["required"], parameters["$defs"]) == ("object", ["value"], schema["$defs"])


def test_what_does_not_fit_is_sent_back_once(server: Any) -> None:
    server.returns({"city": 7})
    server.returns({"city": "Paris"})
    value = answered({"prompt": "Capital?", "schema": CITY})
    assert value["result"] == {"city": "Paris"}
    assert value["usage"] == {"requests": 2, "promptTokens": 20, "completionTokens": 4, "totalTokens": 24}
    said, repair = server.asked[1]["messages"][-2:]
    assert said["tool_calls"][0]["function"]["arguments"] == '{"city": 7}'
    assert (repair["role"], repair["tool_call_id"]) == ("tool", said["tool_calls"][0]["id"])
    assert "$.city: 7 is not of type 'string'" in repair["content"]


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (lambda server: server.says({"content": "Paris"}), "was not called"),
        (lambda server: server.returns({"city": "x"}, name="other"), "was not called"),
        (lambda server: server.returns('{"city": "Pa', reason="length"), "cut off at max_tokens"),
        (lambda server: server.returns("[1, NaN]"), "not JSON"),
        (lambda server: server.returns({}), "'city' is a required property"),
    ],
)
def test_whatever_is_wrong_with_it_is_said_in_the_repair_and_then_in_the_error(
    server: Any, first: Any, says: str
) -> None:
    first(server)
    first(server)
    error = failed({"prompt": "Capital?", "schema": CITY})
    assert (error["code"], error["retryable"]) == ("llm-bad-result", True)
    assert says in error["message"]
    assert says in server.asked[1]["messages"][-1]["content"]
    assert error["detail"]["usage"]["requests"] == len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (429, "llm-busy", True),
        (500, "llm-failed", True),
        (503, "llm-failed", True),
        (408, "llm-failed", True),
        (400, "llm-refused", False),
        (401, "llm-refused", False),
        (404, "llm-refused", False),
        (302, "llm-refused", False),
    ],
)
def test_a_status_says_whether_it_may_pass(server: Any, status: int, code: str, retryable: bool) -> None:
    server.headers = {"retry-after": "7", "location": "http://127.0.0.1:1/"}
    server.answers.append((status, {"error": {"message": f"no, not with {KEY}", "type": "x"}}))
    error = failed({"prompt": "?"})
    assert (error["code"], error["retryable"]) == (code, retryable)
    assert error["detail"] == {"status": status, "retryAfter": 7}
    assert f"{status}: no, not with [key]" in error["message"]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "RemoteProtocolError"),
        ((200, b"<html>"), "no JSON object"),
        ((200, b"[" * 100_000), "no JSON object"),
        ((200, [1]), "no JSON object"),
        ((200, {"choices": []}), "no choices[0].message"),
        ((200, {"error": "x"}), "no choices[0].message"),
    ],
)
def test_what_is_no_answer_may_pass(server: Any, answer: Any, says: str) -> None:
    server.answers.append(answer)
    error = failed({"prompt": "?"})
    assert (error["code"], error["retryable"]) == ("llm-failed", True)
    assert says in error["message"]


def test_a_server_that_is_away_may_come_back(server: Any, settings: Any) -> None:
    from helpers import free_port

    settings.DAYBOOK = {**settings.DAYBOOK, "llm_base_url": f"http://127.0.0.1:{free_port()}"}
    error = failed({"prompt": "?"})
    assert (error["code"], error["retryable"]) == ("llm-failed", True)


def test_a_server_that_does_not_answer_is_left_in_time(server: Any, settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "llm_timeout_seconds": 0.1}
    server.hold = Event()
    server.says({"content": "late"})
    error = failed({"prompt": "?"})
    assert (error["code"], error["retryable"]) == ("timeout", True)
    assert "within 0.1 s" in error["message"]


def test_a_run_that_is_canceled_asks_no_more(server: Any) -> None:
    cancel = Event()
    server.on_request = cancel.set
    server.returns({})
    server.returns({"city": "Paris"})
    outcome = asked({"prompt": "?", "schema": CITY}, cancel)
    assert (outcome.ok, outcome.value["code"]) == (False, "canceled")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("settings_of_it", "says"),
    [
        ({"llm_base_url": ""}, "set DAYBOOK_LLM_BASE_URL"),
        ({"llm_model": ""}, "DAYBOOK_LLM_MODEL"),
        ({"llm_base_url": "localhost:11434"}, "begin with http"),
        ({"llm_api_key": f"{KEY}\nx"}, "printable ASCII"),
        ({"llm_base_url": "http://[::1"}, "not a URL"),
    ],
)
def test_without_settings_it_is_off_and_says_what_to_set(
    server: Any, settings: Any, settings_of_it: dict[str, str], says: str
) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, **settings_of_it}
    error = failed({"prompt": "?"})
    assert (error["code"], error["retryable"]) == ("llm-not-configured", False)
    assert says in error["message"]
    assert not server.asked


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "prompt"),
        ({"prompt": "a", "messages": [{"role": "user", "content": "b"}]}, "prompt"),
        ({"messages": [{"role": "robot", "content": "b"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": "b", "name": "c"}]}, "messages[0].name"),
        ({"prompt": "a", "schema": {"type": "text"}}, "schema"),
        ({"prompt": "a", "temperature": 3}, "temperature"),
        ({"prompt": "a", "model": "x"}, "model"),
    ],
)
def test_an_input_that_it_does_not_take_is_refused_by_field(server: Any, given: Any, field: str) -> None:
    error = failed(given)
    assert error["code"] == "invalid-input"
    assert [problem["field"] for problem in error["detail"]] == [field]
    assert not server.asked


def test_the_key_is_in_no_log_and_in_no_repr(server: Any, caplog: pytest.LogCaptureFixture) -> None:
    server.answers.append((401, f"bad key {KEY}".encode()))
    with caplog.at_level(logging.DEBUG):
        failed({"prompt": "?"})
    assert caplog.records
    assert KEY not in caplog.text
    assert KEY not in repr(conf())


@pytest.mark.django_db
def test_it_runs_as_a_run_of_its_own(server: Any) -> None:
    server.returns({"city": "Paris"})
    parent = start("export default async () => 1").run
    child = NewChild(new_id(), 1, {"prompt": "Capital?", "schema": CITY}, agent="llm")
    make_children(parent, [child])
    [held] = queue.claim("w", only=child.run_id)
    Resident(held).advance()
    run = Run.objects.get(pk=child.run_id)
    assert (run.status, run.output["result"]) == ("succeeded", {"city": "Paris"})
    assert run.progress["label"] == "asking tiny"
