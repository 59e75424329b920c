"""One call of `http.request` on the wire: the request, the redirects, and the response it ends at."""

import functools
import re
import ssl
from dataclasses import dataclass, field
from typing import Any

import httpcore
import httpx

from runs.tools.context import ToolContext
from runs.tools.errors import ToolError
from runs.tools.http.backend import CheckedBackend, Resolver
from runs.tools.http.body import ENCODINGS, as_json, as_text, read_body
from runs.tools.http.deadline import Deadline

_HOST = re.compile(r"[A-Za-z0-9_.-]+|[0-9a-fA-F:.]+")  # as sent: a name in letters of other scripts is Punycode by then

MAX_REDIRECTS = 5
BOTH_MAX = 64 * 1024  # up to here a JSON body is given as text too; beyond, it would fill the journal twice


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to ask for; times in ms, sizes in bytes."""

    method: str
    url: httpx.URL
    headers: dict[str, str]
    content: bytes | None
    timeout_ms: int
    max_bytes: int
    follow_redirects: bool
    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """How to get there; tests bring their own."""

    resolve: Resolver | None = None
    inner: httpcore.NetworkBackend | None = None
    tls: ssl.SSLContext | None = field(default=None)


class _Transport(httpx.HTTPTransport):
    """httpx's own transport, with its error mapping, on connections that are checked."""

    def __init__(self, backend: CheckedBackend, tls: ssl.SSLContext) -> None:
        super().__init__(verify=tls, trust_env=False)
        # httpx has no argument for it; the pool that it made holds no connection yet.
        self._pool = httpcore.ConnectionPool(ssl_context=tls, network_backend=backend)


def exchange(wanted: Wanted, context: ToolContext, network: Network | None = None) -> dict[str, Any]:
    """`{status, headers, url, body, json, bytes}` of the last response; raises `ToolError`."""
    network = network or Network()
    deadline = Deadline(wanted.timeout_ms, context)
    backend = CheckedBackend(deadline, wanted.allow, network.resolve, network.inner)
    transport = _Transport(backend, network.tls or _tls())
    headers = {"user-agent": "Daybook", "accept": "*/*", "accept-encoding": ENCODINGS}
    # No proxy, certificate or password comes from the environment; the deadline is the backend's.
    with httpx.Client(transport=transport, trust_env=False, timeout=None, headers=headers) as client:  # noqa: S113
        try:
            request = client.build_request(wanted.method, wanted.url, headers=wanted.headers, content=wanted.content)
            return _follow(client, request, wanted)
        except httpx.LocalProtocolError as error:
            raise ToolError("invalid-input", f"http.request: the request cannot be written ({error})") from error
        except httpx.TransportError as error:
            raise ToolError("http-failed", f"{wanted.method} {wanted.url.host}: {error}", retryable=True) from error


def refused_url(url: httpx.URL) -> str | None:
    """Why a URL is not asked, if so."""
    if url.scheme not in ("http", "https"):
        return "should begin with http:// or https://"
    if url.userinfo:
        return "should not carry a user name or password; give them as a header (Authorization)"
    if not _HOST.fullmatch(url.raw_host.decode()):
        return "should name a host"
    return None if url.port is None or 0 < url.port < 65_536 else "should have a port from 1 to 65535"


def _follow(client: httpx.Client, request: httpx.Request, wanted: Wanted) -> dict[str, Any]:
    for _ in range(MAX_REDIRECTS + 1):
        response = client.send(request, stream=True, follow_redirects=False)
        try:
            following = response.next_request if wanted.follow_redirects else None
            if following is None:
                return _told(response, wanted.max_bytes)
        finally:
            response.close()
        if problem := refused_url(following.url):
            raise ToolError(
                "redirect-refused", f"{request.url.host} redirects to {following.url!s:.200}, which {problem}"
            )
        request = _without_secrets(request, following)
    raise ToolError("too-many-redirects", f"more than {MAX_REDIRECTS} redirects, the last to {request.url!s:.200}")


def _without_secrets(before: httpx.Request, following: httpx.Request) -> httpx.Request:
    """Without what is for one origin only; httpx would take Authorization along from http to https."""
    if _origin(before.url) != _origin(following.url):
        for name in ("authorization", "cookie"):
            following.headers.pop(name, None)
    return following


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _told(response: httpx.Response, max_bytes: int) -> dict[str, Any]:
    data = read_body(response, max_bytes)
    text = as_text(data, response)
    parsed, value = as_json(text, response)
    return {
        "status": response.status_code,
        "headers": {name.lower(): content for name, content in response.headers.items()},
        "url": str(response.url),
        "body": None if parsed and len(data) > BOTH_MAX else text,
        "json": value,
        "bytes": len(data),
    }


@functools.cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)
