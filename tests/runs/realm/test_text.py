"""TextEncoder and TextDecoder against Python's UTF-8."""

import pytest
from driving import output, run
from hypothesis import given, settings
from hypothesis import strategies as st

TEXTS = [
    "",
    "abc",
    "äöü ß",
    "€ 漢字",
    "\U0001f600",
    "\0",
    "a\ud800b",
    "\udc00\ud800",
    "\ufeffx",
    "\U0010ffff\uffff",
    "\ud83d",
]
BYTES = [
    b"",
    b"abc",
    "ä€\U0001f600".encode(),
    b"\xef\xbb\xbfx",
    b"\xff",
    b"\xc0\x80",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xf5\x80\x80\x80",
    b"a\x80b",
    b"\xf0\x80\x80\x80",
    b"\xe0\x80\x80",
    b"\xf4\x90\x80\x80",
    b"\xc2A",
    b"\xe2\x82A",
    b"\xf0\x9f\x98A\xf0",
    bytes(range(256)),
    b"x\xef\xbb\xbfy",
    b"\xef\xbb\xbf\xef\xbb\xbf",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_encoded_as_utf8(text: str) -> None:
    expected = [list("".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).encode())]
    assert output("return [[...new TextEncoder().encode(input)]]", input=text) == expected


@pytest.mark.parametrize("data", BYTES)
def test_bytes_are_decoded_as_utf8_with_the_same_replacements(data: bytes) -> None:
    expected = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    assert output("return new TextDecoder().decode(new Uint8Array(input))", input=list(data)) == expected


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=24))
def test_any_bytes_are_decoded_as_python_does(data: bytes) -> None:
    body = (
        "const b = new Uint8Array(input); let strict; try { strict = new TextDecoder('utf-8', {fatal: true, ignoreBOM:"
        " true}).decode(b) } catch (e) { strict = e.name }; return [new TextDecoder('utf8', {ignoreBOM:"
        " true}).decode(b), strict]"
    )
    try:
        strict = data.decode()
    except UnicodeDecodeError:
        strict = "TypeError"
    assert run(body, input=list(data)).output == [data.decode("utf-8", "replace"), strict]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=24))
def test_any_text_comes_back(text: str) -> None:
    body = (
        "const e = new TextEncoder().encode(input); return [[...e], new TextDecoder('utf-8', {ignoreBOM:"
        " true}).decode(e)]"
    )
    assert run(body, input=text).output == [list(text.encode()), text]


def test_views_and_buffers_are_decoded_from_their_own_part() -> None:
    body = (
        "const b = new TextEncoder().encode('abcdef'); const d = new TextDecoder(); return [d.decode(b.subarray(2, 4)),"
        " d.decode(b.buffer.slice(0, 2)), d.decode(new DataView(b.buffer, 4, 2)), d.decode()]"
    )
    assert output(body) == ["cd", "ab", "ef", ""]


def test_they_say_what_they_are() -> None:
    assert output(
        "const d = new TextDecoder('UTF-8', {fatal: true}); return [new TextEncoder().encoding, d.encoding, d.fatal,"
        " d.ignoreBOM, [...new TextEncoder().encode()].length]"
    ) == ["utf-8", "utf-8", True, False, 0]


@pytest.mark.parametrize(
    "use",
    [
        "new TextDecoder('latin1')",
        "TextDecoder()",
        "TextEncoder()",
        "new TextDecoder().decode(new Uint8Array([200, 1]), {stream: true})",
    ],
)
def test_what_they_cannot_do_throws(use: str) -> None:
    assert run(f"{use}; return 1").error["message"].startswith(("TypeError", "RangeError"))
