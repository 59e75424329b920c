"""Values cut for display: as JSON where they are short, a beginning and the full size where they are not."""

import json
from typing import Any

import pytest

from runs.reading.cutting import cut_fields, printable, shown, written

VALUES = [None, True, 1, 1.5, "a\nb", [], {}, [1, [2, {"a": []}], "x"], {"a": {"b": [1, 2]}, "ü": None}, [[], {}]]


@pytest.mark.parametrize("value", VALUES)
def test_a_short_value_is_its_json(value: Any) -> None:
    assert written(value, 1000) == json.dumps(value, ensure_ascii=False)
    assert shown(value).text == json.dumps(value, ensure_ascii=False, indent=2)
    assert shown(value).size is None


def test_a_string_of_ten_megabytes_is_its_beginning_and_its_size() -> None:
    told = shown("é" * 5_000_000, most=100)
    assert told.text == '"' + "é" * 99
    assert told.size == 10_000_000


def test_a_long_list_is_written_only_as_far_as_it_is_shown() -> None:
    class Counted(list[int]):
        asked = 0

        def __iter__(self) -> Any:
            for item in range(1_000_000):
                self.asked += 1
                yield item

    value = Counted([1])
    assert written(value, 50).startswith("[0, 1, 2, 3")
    assert value.asked < 50


def test_a_value_may_be_nested_as_deeply_as_one_can_be_stored() -> None:
    value: Any = "deep"
    for _ in range(399):
        value = [value]
    assert written(value, 10_000) == "[" * 399 + '"deep"' + "]" * 399
    cut = shown(value, most=50)
    assert len(cut.text) == 50
    assert cut.size == 404


def test_lone_surrogates_are_written_out() -> None:
    assert shown({"\ud800": "\udfff"}).text == '{\n  "\\ud800": "\\udfff"\n}'


def test_nul_which_a_browser_drops_is_written_out() -> None:
    assert printable("a\0b") == "a\\u0000b"
    assert cut_fields({"message": "a\0b"}) == ({"message": "a\\u0000b"}, {})


def test_the_fields_of_a_row_are_cut_one_by_one() -> None:
    body = {"kind": "result", "n": 5, "output": ["x" * 50] * 3, "small": {"a": "\ud800"}, "text": "y" * 300}
    fields, sizes = cut_fields(body, most=100)
    assert fields["kind"] == "result"
    assert fields["n"] == 5
    assert fields["small"] == {"a": "\\ud800"}
    assert fields["output"] == json.dumps(body["output"])[:100]
    assert fields["text"] == "y" * 100
    assert sizes == {"output": 157, "text": 300}
