"""What a script gives to the agent `llm` and gets from it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from runs.agents.llm.answer import Answer, read_answer
from runs.agents.llm.question import Question, first_messages
from runs.agents.llm.server import configured
from runs.agents.registry import AgentContext, agent
from runs.tools.complaints import invalid_input
from runs.tools.errors import ToolError

_REQUESTS = 2  # the second one has what did not fit the schema repaired


class Message(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(extra="forbid")
    role: Literal["system", "user", "assistant"]
    content: str


@agent("llm")
def llm(
    context: AgentContext,
    prompt: str | None = None,
    messages: list[Message] | None = None,
    system: str | None = None,
    schema: dict[str, Any] | None = None,
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None,
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None,
) -> dict[str, Any]:
    """Asks the configured model and returns `{text, result, model, finishReason, usage}`.

    Give `prompt`, or `messages` as a list of `{role, content}`; `system` goes before them. With a `schema` (JSON
    Schema) `result` is a value that fits it, which the model has to hand over through a tool call; what does not fit is
    sent back once. `usage` is `{requests, promptTokens, completionTokens, totalTokens}` over all requests, a count null
    where the server gives none.

    Errors: `llm-not-configured`; `llm-refused`, the server takes no such request or not this key; `llm-busy` (429),
    `llm-failed` (5xx, no or a broken connection, no JSON) and `timeout`, all retryable; `llm-bad-result`, two answers
    that did not fit, retryable too.
    """
    if schema is not None:
        from runs.host.schema import schema_problem  # as httpx below

        if problem := schema_problem(schema):
            raise invalid_input("llm", {"schema": f"should be a JSON Schema ({problem})"})
    question = Question(_conversation(prompt, messages, system), schema, temperature, max_tokens)
    server = configured()
    from runs.agents.llm.wire import ask  # httpx costs a tenth of a second, and only here

    responses: list[dict[str, Any]] = []
    while True:
        context.raise_if_cancelled()
        context.progress(label=f"asking {server.model}{' again' if responses else ''}")
        responses.append(ask(server, question.body(server.model), context))
        answer = read_answer(responses[-1], schema)
        if isinstance(answer, Answer):
            return answer.as_dict() | {"model": _model(responses[-1], server.model), "usage": _usage(responses)}
        if len(responses) == _REQUESTS:
            message = f"the model was asked {_REQUESTS} times, and its answer does not fit: {answer.problem}"
            detail = {"problem": answer.problem, "usage": _usage(responses)}
            raise ToolError("llm-bad-result", message, retryable=True, detail=detail)
        question = question.followed_by(answer.repair())


def _conversation(prompt: str | None, messages: list[Message] | None, system: str | None) -> list[dict[str, Any]]:
    if (prompt is None) == (not messages):
        raise invalid_input("llm", {"prompt": "or messages is required, and only one of them"})
    return first_messages(prompt, [message.model_dump() for message in messages or []], system)


def _model(response: dict[str, Any], asked: str) -> str:
    name = response.get("model")
    return name if isinstance(name, str) else asked


def _usage(responses: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "requests": len(responses),
        "promptTokens": _total(responses, "prompt_tokens"),
        "completionTokens": _total(responses, "completion_tokens"),
        "totalTokens": _total(responses, "total_tokens"),
    }


def _total(responses: list[dict[str, Any]], name: str) -> int | None:
    counts = [usage.get(name) for response in responses if isinstance(usage := response.get("usage"), dict)]
    return sum(count for count in counts if isinstance(count, int)) if counts else None
