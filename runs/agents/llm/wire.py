"""One request on the wire, and which failures may pass when it is made again."""

import json
import time
from typing import Any

import httpx

from runs.agents.llm.server import Server
from runs.agents.registry import AgentContext
from runs.tools.errors import ToolError

_MAX_BYTES = 8 * 1024 * 1024
_TOLD_MAX = 500  # characters of what the server says about a failure
_PASSING = (408, 409, 425)


def ask(server: Server, body: dict[str, Any], context: AgentContext) -> dict[str, Any]:
    """The response's JSON object; raises `ToolError`. The key appears in none of them."""
    headers = {"user-agent": "Daybook", "accept": "application/json", "content-type": "application/json"}
    if server.key:
        headers["authorization"] = f"Bearer {server.key}"
    content = json.dumps(body).encode()  # ASCII, lone surrogates included
    # No proxy, certificate or password comes from the environment; and no redirect takes the key elsewhere.
    try:
        with (
            httpx.Client(trust_env=False, timeout=server.timeout_seconds, follow_redirects=False) as client,
            client.stream("POST", server.url, headers=headers, content=content) as response,
        ):
            data = _read(response, server, context)
    except httpx.TimeoutException:
        raise _late(server) from None
    except (httpx.TransportError, httpx.DecodingError) as error:
        told = server.without_key(f"{type(error).__name__}: {error}")
        raise ToolError("llm-failed", f"the model's server cannot be asked: {told}", retryable=True) from None
    except httpx.InvalidURL as error:
        raise ToolError("llm-not-configured", f"DAYBOOK_LLM_BASE_URL is not a URL ({error})") from None
    if not response.is_success:
        raise _failure(response, data, server)
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ToolError("llm-failed", "the model's server has answered with no JSON object", retryable=True)
    return answer


def _read(response: httpx.Response, server: Server, context: AgentContext) -> bytes:
    """The body, within the limits of size and of time over all of it."""
    until = time.monotonic() + server.timeout_seconds
    parts, size = [], 0
    for part in response.iter_bytes():
        context.raise_if_cancelled()
        size += len(part)
        if size > _MAX_BYTES:
            raise ToolError("llm-failed", f"the model's answer has more than {_MAX_BYTES:,} bytes; set max_tokens")
        if time.monotonic() > until:
            raise _late(server)
        parts.append(part)
    return b"".join(parts)


def _late(server: Server) -> ToolError:
    message = f"the model did not answer within {server.timeout_seconds:g} s (DAYBOOK_LLM_TIMEOUT_SECONDS)"
    return ToolError("timeout", message, retryable=True)


def _failure(response: httpx.Response, data: bytes, server: Server) -> ToolError:
    """By the status, with what the server says about it; `detail` is `{status, retryAfter}`, the latter in seconds."""
    status, told = response.status_code, server.without_key(_told(data))[:_TOLD_MAX]
    after = response.headers.get("retry-after", "")
    detail = {"status": status, "retryAfter": int(after) if after.isascii() and after.isdigit() else None}
    message = f"the model's server answered {status}{f': {told}' if told else ''}"
    if status == 429:
        return ToolError("llm-busy", message, retryable=True, detail=detail)
    if status >= 500 or status in _PASSING:
        return ToolError("llm-failed", message, retryable=True, detail=detail)
    return ToolError("llm-refused", message, detail=detail)


def _told(data: bytes) -> str:
    """`{error: {message}}` where it is that, else the text."""
    text = data.decode("utf-8", "replace").strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    match value:
        case {"error": {"message": str() as message}} | {"error": str() as message} | {"message": str() as message}:
            return message
    return text
