import json
from pathlib import Path

import httpx
import pytest
from django.db import IntegrityError, OperationalError

from runs.tools import ToolError
from runs.tools.failure import MESSAGE_MAX, cut, failure, is_retryable


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError("x"),
        httpx.ReadTimeout("x"),
        OperationalError("x"),
        TimeoutError(),
        ConnectionResetError(),
        BrokenPipeError(),
    ],
)
def test_what_may_pass_is_retryable(error: Exception) -> None:
    assert is_retryable(error)
    assert failure(error)["retryable"] is True


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        IntegrityError("x"),
        httpx.UnsupportedProtocol("x"),
        httpx.InvalidURL("x"),
        PermissionError(),
        SystemExit(),
    ],
)
def test_what_will_fail_again_is_not(error: BaseException) -> None:
    assert failure(error)["retryable"] is False


def test_a_message_of_10_mb_is_cut_with_a_mark_that_tells_its_length() -> None:
    for error in (ValueError("x" * 10_000_000), ToolError("boom", "x" * 10_000_000)):
        message = failure(error)["message"]
        assert len(message) < MESSAGE_MAX + 50
        assert message.endswith(" bytes in all]")
        assert "[cut: 10,000,0" in message


def test_a_text_is_cut_between_two_characters() -> None:
    for char in ("ä", "€", "\U0001f600", "\ud800"):
        for shift in range(4):
            short = cut("x" * shift + char * MESSAGE_MAX).partition(" [cut")[0]
            assert set(short) <= {"x", char}
            assert MESSAGE_MAX - 4 < len(short.encode("utf-8", "surrogatepass")) <= MESSAGE_MAX


def test_a_text_of_just_the_limit_is_whole() -> None:
    assert MESSAGE_MAX == 8 * 1024
    for text in ("x" * MESSAGE_MAX, "ä" * (MESSAGE_MAX // 2), ""):
        assert cut(text) == text
    assert cut("x" * (MESSAGE_MAX + 1)) != "x" * (MESSAGE_MAX + 1)


def test_a_detail_that_is_no_json_or_too_large_becomes_a_note() -> None:
    assert "detail.tags: builtins.set" in failure(ToolError("boom", "x", detail={"tags": {1}}))["detail"]
    note = failure(ToolError("boom", "x", detail="y" * 1_000_000))["detail"]
    assert note.startswith("[detail left out: ")
    assert "1,000,002 bytes" in note


def test_an_exception_without_a_text_or_with_a_broken_one_is_still_told() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert failure(ValueError())["message"] == "ValueError"
    assert failure(Broken())["message"] == "Broken: (its text cannot be read)"


def test_a_tool_error_of_an_apps_own_that_forgot_to_begin_is_still_told() -> None:
    class Own(ToolError):
        def __init__(self) -> None:
            pass

    told = failure(Own())
    assert told["code"] == "tool-error"
    assert "Own" in told["message"]
    json.dumps(told)


def raised(text: str, file: str) -> ZeroDivisionError:
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile(text, file, "exec"), {"__name__": "invoices.tools"})
    return caught.value


def test_the_detail_names_exception_and_place_relative_to_the_import_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "invoices" / "tools.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert failure(raised("\n\n1 / 0", file))["detail"] == {
        "exception": "ZeroDivisionError",
        "at": "invoices/tools.py:3",
    }


def test_a_file_that_is_not_on_the_import_path_is_named_by_its_module() -> None:
    assert failure(raised("1 / 0", "/home/ana/odd/tools.py"))["detail"]["at"] == "invoices.tools:1"
