import gzip
import json
import tracemalloc
import zlib
from typing import Any

import pytest

from runs.tools import ToolError
from runs.tools.http.exchange import BOTH_MAX, Network

JSON = "application/json; charset=utf-8"


@pytest.fixture
def get(ask: Any, site: Any) -> Any:
    def get(body: bytes, max_bytes: int = 100_000, **headers: str) -> dict[str, Any]:
        site.answer("/it", body, **headers)
        told: dict[str, Any] = ask(site.url("/it"), Network(), allow=("127.0.0.1",), max_bytes=max_bytes)
        return told

    return get


def test_a_body_of_just_the_limit_is_read_and_one_byte_more_is_not(get: Any) -> None:
    assert get(b"x" * 50, 50)["bytes"] == 50
    with pytest.raises(ToolError) as caught:
        get(b"x" * 51, 50)
    assert caught.value.code == "response-too-large"
    assert "at least 51 bytes; the limit is 50" in caught.value.message


def test_a_body_of_unknown_length_is_stopped_at_the_limit(ask: Any, site: Any) -> None:
    sent = []

    def endless(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for _ in range(10_000):
            handler.wfile.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            sent.append(4096)

    site.routes["/endless"] = endless
    with pytest.raises(ToolError, match="response-too-large"):
        ask(site.url("/endless"), Network(), allow=("127.0.0.1",))
    assert sum(sent) < 40_000_000, "the rest was not read"


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("identity", bytes),
    ],
)
def test_compression_is_undone(get: Any, encoding: str, pack: Any) -> None:
    told = get(pack(b"hello" * 100), Content_Encoding=encoding)
    assert (told["body"], told["bytes"]) == ("hello" * 100, 500)


def test_a_bomb_is_stopped_by_its_unpacked_size(get: Any) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(ToolError, match="response-too-large"):
            get(bomb, Content_Encoding="gzip")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("body", "encoding", "words"),
    [
        (b"no gzip", "gzip", "damaged"),
        (gzip.compress(b"x" * 1000, mtime=0)[:-10], "gzip", "ends too early"),
        (b"x", "br", "'br'"),
    ],
)
def test_a_damaged_or_unknown_compression_is_told(get: Any, body: bytes, encoding: str, words: str) -> None:
    with pytest.raises(ToolError, match=words) as caught:
        get(body, Content_Encoding=encoding)
    assert caught.value.code == "http-failed"


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("grün".encode(), "text/plain", "grün"),
        ("grün".encode("latin-1"), "text/plain; charset=ISO-8859-1", "grün"),
        (b"gr\xfcn", "text/plain", "gr\ufffdn"),
        (b"x", "text/plain; charset=nonsense", "x"),
    ],
)
def test_text_is_read_in_its_charset(get: Any, body: bytes, kind: str, text: str) -> None:
    assert get(body, Content_Type=kind)["body"] == text


@pytest.mark.parametrize("kind", [JSON, "application/problem+json", "APPLICATION/JSON"])
def test_json_is_given_parsed_and_as_text(get: Any, kind: str) -> None:
    told = get(b'{"n": [1, null]}', Content_Type=kind)
    assert (told["json"], told["body"]) == ({"n": [1, None]}, '{"n": [1, null]}')


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[NaN]", b"9007199254740993", b"[" * 100_000, b"1e999", b"[" * 300 + b"]" * 300]
)
def test_json_that_javascript_could_not_hold_exactly_is_left_as_text(get: Any, body: bytes) -> None:
    told = get(body, Content_Type=JSON)
    assert (told["json"], told["body"]) == (None, body.decode())


def test_what_does_not_say_it_is_json_is_text(get: Any) -> None:
    assert get(b"[1]", Content_Type="text/plain")["json"] is None
    assert get(b"[1]")["json"] is None


def test_a_long_json_body_is_given_once(get: Any) -> None:
    value = ["x" * BOTH_MAX]
    told = get(json.dumps(value).encode(), Content_Type=JSON)
    assert (told["json"], told["body"]) == (value, None)
    assert get(b"x" * 70_000, Content_Type=JSON)["body"] == "x" * 70_000
