"""What the model is asked: the messages, and the tool through which a value that fits a schema comes back."""

from dataclasses import dataclass, replace
from typing import Any

RESULT_TOOL = "return_result"
_WRAPPED = "value"


@dataclass(frozen=True, slots=True)
class Question:
    """`messages` as the protocol has them."""

    messages: list[dict[str, Any]]
    schema: dict[str, Any] | None = None
    temperature: float | None = None
    max_tokens: int | None = None

    def body(self, model: str) -> dict[str, Any]:
        """The JSON of one request."""
        body: dict[str, Any] = {"model": model, "messages": self.messages}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.max_tokens is not None:
            body["max_tokens"] = self.max_tokens
        if self.schema is not None:
            body["tools"] = [_result_tool(self.schema)]
            body["tool_choice"] = {"type": "function", "function": {"name": RESULT_TOOL}}
        return body

    def followed_by(self, messages: list[dict[str, Any]]) -> "Question":
        return replace(self, messages=[*self.messages, *messages])


def first_messages(prompt: str | None, messages: list[dict[str, Any]], system: str | None) -> list[dict[str, Any]]:
    """The conversation so far, `system` in front."""
    first = [] if system is None else [{"role": "system", "content": system}]
    return [*first, *messages, *([] if prompt is None else [{"role": "user", "content": prompt}])]


def unwrapped(arguments: Any, schema: dict[str, Any]) -> Any:
    """The value out of a tool call's arguments; the arguments themselves where the value is missing."""
    if _is_object(schema) or not isinstance(arguments, dict):
        return arguments
    return arguments.get(_WRAPPED, arguments)


def _result_tool(schema: dict[str, Any]) -> dict[str, Any]:
    told = {
        "name": RESULT_TOOL,
        "description": "Hands over the result. Call it once, with all of the result.",
        "parameters": schema if _is_object(schema) else _wrapped(schema),
    }
    return {"type": "function", "function": told}


def _is_object(schema: dict[str, Any]) -> bool:
    """The protocol wants the arguments of a tool to be an object; any other value is wrapped in one."""
    return schema.get("type") == "object"


def _wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    inner = {name: value for name, value in schema.items() if name not in ("$defs", "$schema")}
    outer = {"type": "object", "properties": {_WRAPPED: inner}, "required": [_WRAPPED], "additionalProperties": False}
    return outer | ({"$defs": schema["$defs"]} if "$defs" in schema else {})
