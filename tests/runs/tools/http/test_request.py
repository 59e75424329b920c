import json
from collections.abc import Callable
from typing import Any

import pytest

from runs.tools import to_json

Call = Callable[..., Any]


def test_a_get_gives_status_headers_url_body_and_size(gives: Call, allowed: Any) -> None:
    told = gives("http.request", {"url": allowed.url("/")})
    assert told["headers"]["content-type"] == "text/plain"
    assert {key: told[key] for key in told if key != "headers"} == {
        "status": 200,
        "url": allowed.url("/"),
        "body": "hello",
        "json": None,
        "bytes": 5,
    }
    assert gives("http.request", {"url": allowed.url("/json")})["json"] == {"n": 1}


@pytest.mark.parametrize("status", [204, 400, 404, 429, 500, 503])
def test_every_status_is_a_result(gives: Call, allowed: Any, status: int) -> None:
    allowed.answer("/it", status=status)
    assert gives("http.request", {"url": allowed.url("/it")})["status"] == status


@pytest.mark.parametrize("method", ["HEAD", "POST", "put", "PATCH", "delete", "OPTIONS"])
def test_other_methods_are_sent(gives: Call, allowed: Any, method: str) -> None:
    assert gives("http.request", {"url": allowed.url("/"), "method": method})["status"] == 200
    assert allowed.asked[0]["method"] == method.upper()


def test_headers_and_query_are_sent(gives: Call, allowed: Any) -> None:
    given = {
        "url": allowed.url("/?a=1"),
        "headers": {"X-One": "1", "Accept": "text/plain"},
        "query": {"b": "x y", "c": [1, 2.5], "d": True, "e": None},
    }
    gives("http.request", given)
    [asked] = allowed.asked
    assert asked["path"] == "/?a=1&b=x+y&c=1&c=2.5&d=true"
    assert asked["headers"]["accept"] == "text/plain"
    assert asked["headers"]["host"] == allowed.host
    assert asked["headers"]["user-agent"] == "Daybook"
    assert asked["headers"]["x-one"] == "1"


@pytest.mark.parametrize("value", [{"a": [1, "é\0\ud800"]}, None, 0, "", []])
def test_json_is_sent_as_json(gives: Call, allowed: Any, value: Any) -> None:
    gives("http.request", {"url": allowed.url("/"), "method": "POST", "json": value})
    [asked] = allowed.asked
    assert json.loads(asked["body"]) == value
    assert asked["headers"]["content-type"] == "application/json"


def test_a_body_is_sent_as_text_and_its_type_can_be_given(gives: Call, allowed: Any) -> None:
    given = {"url": allowed.url("/"), "method": "POST", "body": "<é/>"}
    gives("http.request", given)
    gives("http.request", {**given, "headers": {"Content-Type": "text/xml"}})
    assert [asked["body"].decode() for asked in allowed.asked] == ["<é/>", "<é/>"]
    assert [asked["headers"]["content-type"] for asked in allowed.asked] == ["text/plain; charset=utf-8", "text/xml"]


def test_what_cannot_simply_be_repeated_carries_the_token(gives: Call, allowed: Any) -> None:
    for method in ("GET", "PUT", "DELETE", "POST", "PATCH"):
        gives("http.request", {"url": allowed.url("/"), "method": method})
    gives("http.request", {"url": allowed.url("/"), "method": "POST", "headers": {"Idempotency-Key": "mine"}})
    keys = [asked["headers"].get("idempotency-key") for asked in allowed.asked]
    assert keys == [None, None, None, "01hrun:7", "01hrun:7", "mine"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "ftp://example.com/"),
        ("url", "file:///etc/passwd"),
        ("url", "//example.com/"),
        ("url", "example.com"),
        ("url", "http://"),
        ("url", ""),
        ("url", "http://user:secret@example.com/"),
        ("url", "http://user@example.com/"),
        ("url", "http://exa mple.com/"),
        ("url", "http://example.com:99999/"),
        ("url", "http://example.com:0/"),
        ("url", "http://example.com%2f@127.0.0.1/"),
        ("url", "http://[::1/"),
        ("url", "http://example.com/\ud800"),
        ("method", "CONNECT"),
        ("method", 5),
        ("headers", {"X-A\r\nX-B": "1"}),
        ("headers", {"X-A": "1\r\nX-B: 2"}),
        ("headers", {"X-A": "1\0"}),
        ("headers", {"X-A": "é"}),
        ("headers", {"Host": "internal"}),
        ("headers", {"Content-Length": "5"}),
        ("headers", {"Transfer-Encoding": "chunked"}),
        ("headers", {"Proxy-Authorization": "x"}),
        ("headers", {"X-A": "1", "x-a": "2"}),
        ("headers", {"X-A": 5}),
        ("query", {"a": {"b": 1}}),
        ("body", 5),
        ("timeout_ms", 0),
        ("timeout_ms", "5"),
        ("max_bytes", 0),
        ("follow_redirects", "no"),
        ("methd", "GET"),
    ],
)
def test_a_request_that_cannot_be_is_refused_by_field(fails: Call, field: str, value: Any) -> None:
    error = fails("http.request", {"url": "http://example.com/", field: value})
    assert error["code"] == "invalid-input"
    assert not error["retryable"]
    assert error["detail"][0]["field"].partition(".")[0] == field


def test_json_and_body_exclude_each_other(fails: Call) -> None:
    error = fails("http.request", {"url": "http://example.com/", "method": "POST", "json": None, "body": ""})
    assert "body and json cannot both be given" in error["message"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "0x7f.1", "017700000001",
     "127.1", "169.254.169.254", "10.0.0.1", "[fe80::1]", "127.0.0.1.", "①②⑦.0.0.1"],
)  # fmt: skip
def test_addresses_behind_the_platform_are_refused(fails: Call, site: Any, host: str) -> None:
    error = fails("http.request", {"url": f"http://{host}:{site.server_port}/"})
    assert error["code"] in ("address-refused", "invalid-input")
    assert site.asked == []


def test_a_listed_port_does_not_open_its_neighbours(fails: Call, allowed: Any) -> None:
    assert fails("http.request", {"url": f"http://127.0.0.1:{allowed.server_port + 1}/"})["code"] == "address-refused"


def test_proxies_of_the_environment_are_not_used(gives: Call, allowed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert gives("http.request", {"url": allowed.url("/")})["status"] == 200


def test_a_closed_port_is_a_retryable_failure(fails: Call, allowed: Any) -> None:
    url = allowed.url("/")
    allowed.server_close()
    error = fails("http.request", {"url": url})
    assert (error["code"], error["retryable"]) == ("http-failed", True)


def test_a_server_that_hangs_up_is_a_retryable_failure(fails: Call, allowed: Any) -> None:
    allowed.routes["/"] = lambda handler: (
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal")
        and setattr(handler, "close_connection", True)
    )
    error = fails("http.request", {"url": allowed.url("/")})
    assert (error["code"], error["retryable"]) == ("http-failed", True)


def test_the_result_is_json_with_repeated_headers_joined(gives: Call, allowed: Any) -> None:
    def twice(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("X-A", "1")
        handler.send_header("X-A", "2")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    allowed.routes["/twice"] = twice
    told = gives("http.request", {"url": allowed.url("/twice")})
    assert told["headers"]["x-a"] == "1, 2"
    assert to_json(told) == told
