from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("value", [1, None, [1, {"a": None}], {"v": 1}, "a\0\ud800", ""])
def test_echo_gives_back_the_value_of_v(gives: Callable[..., Any], value: Any) -> None:
    assert gives("echo", {"v": value}) == value


@pytest.mark.parametrize("given", [{}, {"a": 1}, {"v": 1, "w": 2}, {"self": 1, "": 2, "a b": 3, "fields": 4}])
def test_echo_gives_back_any_other_object_whole(gives: Callable[..., Any], given: Any) -> None:
    assert gives("echo", given) == given


def test_echo_of_nothing_is_an_empty_object(gives: Callable[..., Any]) -> None:
    assert gives("echo", None) == {}
