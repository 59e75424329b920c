import json
from typing import Any

import pytest
from hypothesis import given

from runs.tools import ToolError, json_size
from runs.tools.plain import measured
from runs.tools.size import BYTES_PER_UNIT, check_size

from .test_plain import JSON


@given(JSON)
def test_units_are_a_bound_from_both_sides(value: Any) -> None:
    made, units = measured(value)
    assert units <= json_size(made) + 1
    assert json_size(made) <= units * BYTES_PER_UNIT


def test_the_size_is_that_of_the_text_in_utf_8() -> None:
    for value in ({"a": [1, 2.5, None, True]}, "äöü", "\U0001f600", "\0\n", [], {}):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        assert json_size(value) == len(text.encode())
    assert json_size("a\ud800") == len('"a') + len("\\ud800") + len('"')


def test_a_result_at_the_limit_passes_and_one_byte_more_does_not(settings: Any) -> None:
    settings.DAYBOOK = {"result_max_bytes": 1_000}
    check_size("x" * 998, 998, "tool t")
    with pytest.raises(ToolError) as caught:
        check_size("x" * 999, 999, "tool t")
    assert caught.value.code == "result-too-large"
    assert caught.value.message.startswith("tool t returned 1,001 bytes; the limit is 1,000: return a reference")
