"""The tool `http.request`: what a script gives and gets. The rest of the folder does the work."""

import json as jsonlib
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from runs.conf import conf
from runs.tools.complaints import invalid_input
from runs.tools.context import ToolContext
from runs.tools.registry import tool

if TYPE_CHECKING:
    import httpx

Method = Annotated[
    Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    BeforeValidator(lambda given: given.upper() if isinstance(given, str) else given),
]
Text = str | int | float | bool | None
_NOT_GIVEN: Any = object()

_REPEATABLE = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
_OURS = {
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
}


@tool("http.request")
def request(
    context: ToolContext,
    url: str,
    method: Method = "GET",
    headers: dict[str, str] | None = None,
    query: dict[str, Text | list[Text]] | None = None,
    json: Any = _NOT_GIVEN,
    body: str | None = None,
    timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] = 30_000,
    max_bytes: Annotated[int, Field(ge=1, le=100_000_000)] = 200 * 1024,
    follow_redirects: bool = True,
) -> dict[str, Any]:
    """Sends one HTTP request and returns `{status, headers, url, body, json, bytes}`.

    Every status is a result, 404 and 503 included: look at `status`. `headers` have lower-case names, `url` is where
    the redirects (at most 5) ended, `body` is the text and `bytes` its size. `json` is the parsed body where the
    response says it is JSON, and null where JavaScript could not hold it exactly; `body` is null where `json` says the
    same in more than 64 KiB.

    `json` is sent as JSON, `body` as text; `query` is added to the URL's own. POST and PATCH carry the call's token as
    `Idempotency-Key` unless one is given, so that a service that knows the header does repeated work once.
    `Authorization` and `Cookie` do not follow a redirect to another origin. Proxies of the environment are not used.

    Private, loopback, link-local, reserved and metadata addresses are refused (`address-refused`, `redirect-refused`)
    unless DAYBOOK_HTTP_ALLOW_HOSTS lists the host. Further errors: `timeout`, for the whole call, and
    `http-failed`, no connection or a broken one, both retryable; `response-too-large`, beyond `max_bytes`;
    `too-many-redirects`.
    """
    from runs.tools.http.exchange import Wanted, exchange  # httpx costs a tenth of a second, and only here

    sent, content = _content(json, body, headers or {})
    if method not in _REPEATABLE and "idempotency-key" not in sent:
        sent["idempotency-key"] = context.token
    wanted = Wanted(
        method=method,
        url=_url(url, query or {}),
        headers=sent,
        content=content,
        timeout_ms=timeout_ms,
        max_bytes=max_bytes,
        follow_redirects=follow_redirects,
        allow=tuple(conf().http_allow_hosts),
    )
    return exchange(wanted, context)


def _url(text: str, query: dict[str, Text | list[Text]]) -> "httpx.URL":
    import httpx

    from runs.tools.http.exchange import refused_url

    try:
        url = httpx.URL(text)
        if query:
            url = url.copy_merge_params({name: value for name, value in query.items() if value is not None})
    except (httpx.InvalidURL, UnicodeError) as error:
        raise invalid_input("http.request", {"url": f"is not a URL ({error})"}) from error
    if problem := refused_url(url):
        raise invalid_input("http.request", {"url": problem})
    return url


def _content(json: Any, body: str | None, headers: dict[str, str]) -> tuple[dict[str, str], bytes | None]:
    """The headers, lower-case, and the bytes to send."""
    sent = _headers(headers)
    if json is not _NOT_GIVEN:
        if body is not None:
            raise invalid_input("http.request", {"body": "and json cannot both be given"})
        sent.setdefault("content-type", "application/json")
        return sent, jsonlib.dumps(json, separators=(",", ":")).encode()
    if body is None:
        return sent, None
    sent.setdefault("content-type", "text/plain; charset=utf-8")
    return sent, body.encode()


def _headers(given: dict[str, str]) -> dict[str, str]:
    sent: dict[str, str] = {}
    problems: dict[str, str] = {}
    for name, value in given.items():
        field, lower = f"headers.{name}", name.lower()
        if not _TOKEN.fullmatch(name):
            problems[field] = "is not a header's name"
        elif lower in _OURS or lower.startswith("proxy-"):
            problems[field] = "is set by http.request itself"
        elif not _VALUE.fullmatch(value):
            problems[field] = "should be ASCII on one line"
        elif lower in sent:
            problems[field] = "is given twice"
        else:
            sent[lower] = value
    if problems:
        raise invalid_input("http.request", problems)
    return sent
