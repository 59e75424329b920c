"""Reading what the model has answered: a text, or a value that fits the schema, or what is wrong with it."""

import json
from dataclasses import dataclass
from typing import Any

from runs.agents.llm.question import RESULT_TOOL, unwrapped
from runs.tools.errors import ToolError
from runs.tools.plain import to_json

_NOTHING: Any = object()


@dataclass(frozen=True, slots=True)
class Answer:
    """`result` is None where no schema was given."""

    text: str | None
    result: Any
    finish_reason: str | None

    def as_dict(self) -> dict[str, Any]:
        return {"text": self.text, "result": self.result, "finishReason": self.finish_reason}


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer that does not fit the schema; `said` is the message, `call` the tool call in it, if there was one."""

    problem: str
    said: dict[str, Any]
    call: dict[str, Any] | None

    def repair(self) -> list[dict[str, Any]]:
        """The messages that have it repaired."""
        wanted = f"That does not fit: {self.problem}. Call {RESULT_TOOL} again, with a result that fits its parameters."
        text = self.said.get("content")
        if self.call is None:
            said = {"role": "assistant", "content": text if isinstance(text, str) else ""}
            return [said, {"role": "user", "content": wanted}]
        return [
            {"role": "assistant", "content": text if isinstance(text, str) else None, "tool_calls": [self.call]},
            {"role": "tool", "tool_call_id": self.call["id"], "content": wanted},
        ]


def read_answer(response: dict[str, Any], schema: dict[str, Any] | None) -> Answer | Misfit:
    """Raises `ToolError("llm-failed")` for what is no answer of this protocol."""
    said, reason = _message(response)
    text = said.get("content") if isinstance(said.get("content"), str) else None
    if schema is None:
        return Answer(text or "", None, reason)
    call = _call(said)
    if call is None:
        return Misfit(f"the tool {RESULT_TOOL} was not called", said, None)
    arguments = _arguments(call)
    if arguments is _NOTHING:
        cut = " (they were cut off at max_tokens)" if reason == "length" else ""
        return Misfit(f"the arguments are not JSON{cut}", said, call)
    value = unwrapped(arguments, schema)
    from runs.host.schema import problem_with  # jsonschema is much to import, and only here

    if problem := problem_with(value, schema):
        return Misfit(problem, said, call)
    return Answer(text, value, reason)


def _message(response: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    match response:
        case {"choices": [{"message": dict() as said} as choice, *_]}:
            reason = choice.get("finish_reason")
            return said, reason if isinstance(reason, str) else None
    raise ToolError("llm-failed", "the server's answer has no choices[0].message", retryable=True)


def _call(said: dict[str, Any]) -> dict[str, Any] | None:
    """The first call of our tool, as it is sent back."""
    calls = said.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        match call:
            case {"function": {"name": name, "arguments": str() | dict() as arguments}} if name == RESULT_TOOL:
                text = arguments if isinstance(arguments, str) else json.dumps(arguments)
                identity = call.get("id") or "call_1"
                return {"id": identity, "type": "function", "function": {"name": RESULT_TOOL, "arguments": text}}
    return None


def _arguments(call: dict[str, Any]) -> Any:
    try:
        return to_json(json.loads(call["function"]["arguments"]), "result")
    except (ValueError, RecursionError, ToolError):
        return _NOTHING
