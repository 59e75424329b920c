"""One execution of one tool: input checked, function run, result or error as JSON. The thread survives all of it."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync

from runs.conf import conf
from runs.tools.context import ToolContext
from runs.tools.definition import Tool
from runs.tools.errors import ToolError
from runs.tools.failure import failure
from runs.tools.plain import measured
from runs.tools.size import check_size

logger = logging.getLogger("runs.tools")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`value` is the result, a JSON value, or if not `ok` the error, `{code, message, retryable, detail}`."""

    ok: bool
    value: Any


def execute(tool: Tool, given: Any, context: ToolContext, *, timeout_ms: int | None = None) -> Outcome:
    """Runs a tool in this thread and tells how it went; of all exceptions only KeyboardInterrupt gets through.

    `timeout_ms` (else the tool's own, else the setting) ends an async tool with the retryable code `timeout`; to end an
    ordinary function in time is the host's affair. A host that runs a transactional tool takes back what the tool did
    to the database when the outcome is not ok: that is, it wraps this in a savepoint.
    """
    try:
        arguments = tool.signature.bind(given, context)
        result = tool.function(**arguments)
        if inspect.isawaitable(result):
            result = _await(result, timeout_ms or tool.timeout_ms or conf().tool_timeout_ms)
        value, units = measured(result)
        check_size(value, units, f"tool {tool.name}")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit and its like would end the thread and strand the run
        if not isinstance(error, ToolError):
            logger.exception("tool %s raised what it does not declare (token %s)", tool.name, context.token)
        return Outcome(False, failure(error))
    return Outcome(True, value)


def _await(result: Awaitable[Any], timeout_ms: int) -> Any:
    """Runs an awaitable in a loop of its own, while this thread serves what it hands to `sync_to_async`.

    So the ORM inside an async tool uses this thread's connection and transaction, where `asyncio.run` would open one in
    a thread of its own that nobody closes.
    """

    async def run() -> Any:
        try:
            async with asyncio.timeout(timeout_ms / 1000) as scope:
                return await result
        except TimeoutError as error:
            if scope.expired():
                raise ToolError("timeout", f"the tool took longer than {timeout_ms:,} ms", retryable=True) from error
            raise

    try:
        return async_to_sync(run, force_new_loop=True)()
    finally:
        if inspect.iscoroutine(result):
            result.close()  # where a loop runs in this thread already, it never began
