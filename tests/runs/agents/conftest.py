"""A server that speaks the OpenAI chat protocol on the loopback address, and answers as the test says."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

KEY = "sk-secret-7f3a"


class ChatServer(ThreadingHTTPServer):
    """`answers` are taken one by one: (status, body), a dict for JSON or bytes, or None to hang up."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, Any] | None] = []
        self.headers: dict[str, str] = {}  # of each answer
        self.asked: list[dict[str, Any]] = []  # the bodies
        self.sent: list[dict[str, str]] = []  # the headers
        self.hold: Event | None = None  # answers only once it is set
        self.on_request: Callable[[], object] = lambda: None
        self.base = f"http://127.0.0.1:{self.server_port}/v1"

    def says(self, message: dict[str, Any], reason: str = "stop", tokens: int = 10) -> None:
        """The next answer: an assistant's message."""
        usage = {"prompt_tokens": tokens, "completion_tokens": 2, "total_tokens": tokens + 2}
        choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": reason}
        self.answers.append((200, {"id": "x", "model": "tiny-1", "choices": [choice], "usage": usage}))

    def returns(self, arguments: Any, reason: str = "tool_calls", name: str = "return_result") -> None:
        """The next answer: a call of the result tool."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = {"id": f"call_{len(self.answers)}", "type": "function", "function": {"name": name, "arguments": text}}
        self.says({"content": None, "tool_calls": [call]}, reason)


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        server = self.server
        server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        server.sent.append({name.lower(): value for name, value in self.headers.items()} | {"path": self.path})
        server.on_request()
        if server.hold:
            server.hold.wait(30)
        answer = server.answers.pop(0)
        if answer is None:
            self.close_connection = True
            return
        status, body = answer
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(data)), "content-type": "application/json"}.items():
            self.send_header(name, value)
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def server(settings: Any) -> Iterator[ChatServer]:
    """The server, and Daybook configured for it."""
    with ChatServer() as chat:
        thread = Thread(target=chat.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        configured = {"llm_base_url": chat.base + "/", "llm_model": "tiny", "llm_api_key": KEY}
        settings.DAYBOOK = {**settings.DAYBOOK, **configured}
        yield chat
        if chat.hold:
            chat.hold.set()
        chat.shutdown()
        thread.join()
