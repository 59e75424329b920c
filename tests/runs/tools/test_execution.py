import asyncio
import contextvars
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from runs.tools import ToolContext, ToolError

Call = Callable[..., Any]


async def never() -> None:
    await asyncio.Event().wait()


def test_a_result_is_plain_json(gives: Call) -> None:
    assert gives(lambda: ({"a": (1, 2)},)) == [{"a": [1, 2]}]
    assert gives(lambda: None) is None


def test_an_async_tool_gives_its_result(gives: Call) -> None:
    async def tool(n: int) -> list[int]:
        await asyncio.sleep(0)
        return [n]

    assert gives(tool, {"n": 2}) == [2]


def test_context_variables_reach_an_async_tool(gives: Call) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    async def tool() -> str:
        return variable.get()

    token = variable.set("of the caller")
    try:
        assert gives(tool) == "of the caller"
    finally:
        variable.reset(token)


def test_a_tools_own_error_arrives_whole(fails: Call) -> None:
    def boom() -> None:
        raise ToolError("boom", "it broke", retryable=True, detail={"at": (1, 2)})

    async def boom_later() -> None:
        boom()

    for tool in (boom, boom_later):
        assert fails(tool) == {"code": "boom", "message": "it broke", "retryable": True, "detail": {"at": [1, 2]}}


def test_any_other_exception_is_named(fails: Call) -> None:
    def tool() -> None:
        raise KeyError("price")

    told = fails(tool)
    assert (told["code"], told["message"], told["retryable"]) == ("tool-error", "KeyError: 'price'", False)
    assert told["detail"]["exception"] == "KeyError"


def test_an_unexpected_exception_is_logged_with_traceback_tool_and_token(
    fails: Call, caplog: pytest.LogCaptureFixture
) -> None:
    def tool() -> None:
        raise KeyError("price")

    fails(tool)
    (record,) = [record for record in caplog.records if record.name == "runs.tools"]
    assert "probe" in record.getMessage()
    assert "01hrun:7" in record.getMessage()
    assert "raise KeyError" in caplog.text


def test_a_tool_error_is_not_logged(fails: Call, caplog: pytest.LogCaptureFixture) -> None:
    def tool() -> None:
        raise ToolError("boom", "it broke")

    fails(tool)
    assert not caplog.records


@pytest.mark.parametrize(
    "error", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), BaseExceptionGroup("g", [SystemExit()])]
)
def test_a_tool_cannot_end_its_thread(fails: Call, error: BaseException) -> None:
    def tool() -> None:
        raise error

    async def later() -> None:
        raise error

    async def in_a_task() -> None:
        await asyncio.gather(later())

    for function in (tool, later, in_a_task):
        told = fails(function)
        assert told["code"] == "tool-crashed"
        assert told["message"].startswith(type(error).__name__)


def test_a_keyboard_interrupt_gets_through(run: Call) -> None:
    def tool() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tool)


def test_an_async_tool_is_stopped_at_its_timeout(fails: Call) -> None:
    stopped = threading.Event()

    async def tool() -> None:
        try:
            await never()
        finally:
            stopped.set()

    error = fails(tool, timeout_ms=20)
    assert (error["code"], error["retryable"]) == ("timeout", True)
    assert "20 ms" in error["message"]
    assert stopped.is_set()


def test_the_timeout_is_the_calls_else_the_tools_else_the_settings(context: ToolContext, settings: Any) -> None:
    from runs.tools import define, execute

    settings.DAYBOOK = {"tool_timeout_ms": 30}
    by_setting, by_tool = define("never", never), define("never", never, timeout_ms=20)
    for tool, options, expected in (
        (by_setting, {}, "30 ms"),
        (by_tool, {}, "20 ms"),
        (by_tool, {"timeout_ms": 10}, "10 ms"),
    ):
        assert expected in execute(tool, {}, context, **options).value["message"]  # type: ignore[arg-type]


def test_a_timeout_error_of_the_tools_own_is_not_taken_for_ours(fails: Call) -> None:
    async def tool() -> None:
        raise TimeoutError("the printer is slow")

    error = fails(tool, timeout_ms=60_000)
    assert error["code"] == "tool-error"
    assert error["message"] == "TimeoutError: the printer is slow"
    assert error["retryable"]


def test_where_a_loop_runs_already_an_async_tool_fails_and_leaves_no_warning(fails: Call) -> None:
    async def tool() -> None: ...

    async def loop() -> dict[str, Any]:
        told: dict[str, Any] = fails(tool)
        return told

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "event loop" in asyncio.run(loop())["message"]


def test_a_result_that_is_no_json_fails_the_call(fails: Call) -> None:
    error = fails(lambda: {"price": float("nan")})
    assert error["code"] == "invalid-result"
    assert "result.price: NaN is not JSON" in error["message"]


def test_a_result_of_5_mb_fails_the_call_with_size_and_limit(fails: Call) -> None:
    error = fails(lambda: "x" * 5_000_121)
    assert error["code"] == "result-too-large"
    assert error["message"].startswith("tool probe returned 5,000,123 bytes; the limit is 262,144: return a reference")


def test_a_context_reaches_the_tool_and_its_progress_the_host(gives: Call) -> None:
    heard: list[Any] = []

    def tool(call: ToolContext) -> Any:
        call.progress(0.5, "half")
        return [call.run_id, call.call_seq, call.attempt, call.token]

    given = ToolContext("r9", 4, attempt=2, report=lambda *said: heard.append(said))
    assert gives(tool, context=given) == ["r9", 4, 2, "r9:4"]
    assert heard == [(0.5, "half")]


@pytest.mark.django_db
def test_the_orm_of_an_async_tool_is_in_the_callers_transaction(gives: Call) -> None:
    from runs.models.store import StoreItem

    async def tool() -> int:
        await StoreItem.objects.acreate(key="a", value=1)
        return await StoreItem.objects.acount()

    with transaction.atomic():
        assert gives(tool) == 1
        transaction.set_rollback(True)
    assert not StoreItem.objects.exists()
