"""Canonical CBOR is the one thing that is read as CBOR; JSON is read strictly; neither can cost much."""

import tracemalloc
from typing import Any

import cbor2
import pytest

from runs.api import wire
from runs.api.errors import ApiError
from runs.api.wire import canonical, read_cbor, read_json

# Examples of RFC 8949, appendix A, that are canonical and have what JSON has, or byte strings.
TAKEN = [
    ("00", 0), ("17", 23), ("1818", 24), ("190100", 256), ("1a000f4240", 1000000), ("1bffffffffffffffff", 2**64 - 1),
    ("3bffffffffffffffff", -(2**64)), ("20", -1), ("f90000", 0.0), ("f98000", -0.0), ("f93e00", 1.5),
    ("f90001", 2.0**-24), ("f90400", 2.0**-14), ("f97bff", 65504.0), ("f9c400", -4.0),
    ("fa7f7fffff", 3.4028234663852886e38),
    ("fb7e37e43c8800759c", 1e300), ("fa47c35000", 100000.0), ("fb3ff199999999999a", 1.1),
    ("f4", False), ("f5", True), ("f6", None), ("40", b""),
    ("4401020304", b"\1\2\3\4"), ("60", ""), ("62c3bc", "ü"), ("64f0908591", "𐅑"), ("80", []), ("83010203", [1, 2, 3]),
    ("a0", {}), ("a26161016162820203", {"a": 1, "b": [2, 3]}), ("a2616202626161f5", {"b": 2, "aa": True}),
]  # fmt: skip
REFUSED = {
    "nothing": "",
    "a longer head": "1817",
    "a longer head of a length": "7803616263",
    "a longer head of a count": "980100",
    "a longer float": "fa3fc00000",
    "a double that is a single": "fb40f86a0000000000",
    "keys out of order": "a2616202616101",
    "a longer key before a shorter one": "a262616101616202",
    "a key twice": "a2616101616102",
    "a key that is no text": "a10101",
    "a key of bytes": "a1416101",
    "an array without a length": "9f01ff",
    "a map without a length": "bf616101ff",
    "text in parts": "7f6161ff",
    "bytes in parts": "5f4161ff",
    "undefined": "f7",
    "a simple value": "f0",
    "a simple value of two bytes": "f8ff",
    "NaN": "f97e00",
    "another NaN": "f97e01",
    "infinity": "f97c00",
    "a large number as a tag": "c249010000000000000000",
    "a time": "c11a514b67b0",
    "a decimal of a huge exponent": "c4821b7fffffffffffffff01",
    "a regular expression": "d8236161",
    "what says that it is CBOR": "d9d9f7a0",
    "a set": "d9010281 01",
    "a shared value": "d81c80",
    "an unknown tag": "d9ffff00",
    "text that is no UTF-8": "61ff",
    "half of a surrogate pair": "63eda080",
    "more behind it": "0000",
    "an end too early": "8201",
    "a reserved head": "1c",
    "a break": "ff",
    "eight exbibytes of text": "7b7fffffffffffffff61",
    "eight exbibytes of bytes": "5b7fffffffffffffff61",
    "a huge array": "9b7fffffffffffffff01",
    "a huge map": "bb7fffffffffffffff6161",
    "too deep": "81" * 101 + "00",
    "far too deep": "81" * 100_000 + "00",
    "far too deep maps": "a16161" * 100_000 + "00",
}


@pytest.mark.parametrize(("written", "value"), TAKEN)
def test_canonical_cbor_is_read_and_written_alike(written: str, value: Any) -> None:
    read = read_cbor(bytes.fromhex(written))
    assert (read, type(read), str(read)) == (value, type(value), str(value))
    assert canonical(value).hex() == written


@pytest.mark.parametrize("written", REFUSED.values(), ids=REFUSED)
def test_all_else_is_refused(written: str) -> None:
    for around in ("", "81", "a16161"):
        with pytest.raises(ApiError) as info:
            read_cbor(bytes.fromhex(around + written))
        assert (info.value.code, info.value.status) == ("not-canonical", 400)


def test_every_tag_is_refused() -> None:
    for tag in [*range(300), 1004, 43000, 55799, 65535, 2**32, 2**64 - 1]:
        for content in ("00", "60", "40", "80", "820101", "a0", "f93e00"):
            with pytest.raises(ApiError):
                read_cbor(cbor2.dumps(cbor2.CBORTag(tag, None))[:-1] + bytes.fromhex(content))


def test_what_is_claimed_takes_no_memory() -> None:
    tracemalloc.start()
    try:
        for claimed in ("7b00000000ffffffff", "5b00000000ffffffff", "9b00000000ffffffff", "bb00000000ffffffff"):
            with pytest.raises(ApiError):
                read_cbor(bytes.fromhex(claimed))
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()


def test_equal_values_have_equal_bytes_whatever_their_text() -> None:
    assert canonical({"b": 1, "a": "\ud800"}) == canonical({"a": "\ud800", "b": 1}) != canonical({"a": "?", "b": 1})


def test_json_is_read_as_it_is_written() -> None:
    assert read_json(b'{"a": [1, 2.5, "\\ud800", null, true]}') == {"a": [1, 2.5, "\ud800", None, True]}
    assert wire.write_json({"a": "\ud800é"}) == b'{"a":"\\ud800\\u00e9"}'


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a": NaN}', b"[1e999]", b'{"a": 1, "a": 2}', b"\xff", b"1 2", b"[" * 100_000,
     b"[" * 101 + b"]" * 101, b"9" * 5000],
)  # fmt: skip
def test_other_json_is_refused(text: bytes) -> None:
    with pytest.raises(ApiError) as info:
        read_json(text)
    assert (info.value.code, info.value.status) == ("bad-message", 400)


def test_a_hundred_levels_are_taken() -> None:
    deep: Any = 1
    for _ in range(wire.DEPTH):
        deep = [deep]
    assert read_cbor(canonical(deep)) == deep == read_json(wire.write_json(deep))
