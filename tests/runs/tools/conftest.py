"""What the tests of tools share: a context, one call of one tool, and a real web site on the loopback address."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from runs.tools import Outcome, ToolContext, define, execute, find


@pytest.fixture
def context() -> ToolContext:
    return ToolContext(run_id="01hrun", call_seq=7)


@pytest.fixture
def run(context: ToolContext) -> Callable[..., Outcome]:
    """Executes a function, or the registered tool of a name, on an input."""

    def run(function: Any, given: Any = None, **options: Any) -> Outcome:
        tool = find(function) if isinstance(function, str) else define("probe", function)
        return execute(tool, given, options.pop("context", context), **options)

    return run


@pytest.fixture
def gives(run: Callable[..., Outcome]) -> Callable[..., Any]:
    """The result of a call that must succeed."""

    def gives(function: Any, given: Any = None, **options: Any) -> Any:
        outcome = run(function, given, **options)
        assert outcome.ok, outcome.value
        return outcome.value

    return gives


@pytest.fixture
def fails(run: Callable[..., Outcome]) -> Callable[..., dict[str, Any]]:
    """The error of a call that must fail."""

    def fails(function: Any, given: Any = None, **options: Any) -> dict[str, Any]:
        outcome = run(function, given, **options)
        assert not outcome.ok, outcome.value
        assert outcome.value.keys() == {"code", "message", "retryable", "detail"}
        return outcome.value

    return fails


class Site(ThreadingHTTPServer):
    """Answers each path as `routes` says, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.routes: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.asked: list[dict[str, Any]] = []

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def answer(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None:
        def write(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            if handler.command != "HEAD":
                handler.wfile.write(body)

        self.routes[path] = write

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        self.answer(path, status=status, Location=to)


class Answering(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client had read enough

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append({"method": self.command, "path": self.path, "headers": headers, "body": body})
        route = self.server.routes.get(self.path.partition("?")[0])
        if route:
            route(self)
        else:
            self.send_error(404)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as server:
        server.answer("/", b"hello", Content_Type="text/plain")
        server.answer("/json", json.dumps({"n": 1}).encode(), Content_Type="application/json")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def allowed(site: Site, settings: Any) -> Site:
    """The site, listed in the setting."""
    settings.DAYBOOK = {**getattr(settings, "DAYBOOK", {}), "http_allow_hosts": (site.host,)}
    return site
