"""Running a management command in this process, as the command line would: exit code, standard output and error."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from unittest import mock

from django.core.management import get_commands, load_command_class


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output; fails where there is anything else."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    def succeeded(self) -> "Done":
        assert self.code == 0, f"exit {self.code}\n{self.out}\n{self.err}"
        return self

    def refused(self, *words: str) -> "Done":
        """Exit code 2, a message with these words, no traceback."""
        assert self.code == 2, f"exit {self.code}\n{self.out}\n{self.err}"
        assert "Traceback" not in self.err
        for word in words:
            assert word in self.err
        return self


def command(name: str, *arguments: str, stdin: bytes = b"") -> Done:
    """`manage.py NAME ARGUMENTS` to its end."""
    out, err = io.StringIO(), io.StringIO()
    standard_input = io.TextIOWrapper(io.BytesIO(stdin))
    # The connection belongs to the test; a process of its own would close it.
    keep = mock.patch("django.core.management.base.connections.close_all")
    with redirect_stdout(out), redirect_stderr(err), mock.patch("sys.stdin", standard_input), keep:
        made = load_command_class(get_commands()[name], name)
        try:
            made.run_from_argv(["manage.py", name, *arguments])
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


class Server(ThreadingHTTPServer):
    """Answers /healthz and /login/ with 200, and / with what `answers` holds: a status, or None to hang up at once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int | None] = []
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status = self.server.answers.pop(0) if self.path == "/" and self.server.answers else 200
        if status is None:
            self.close_connection = True
            return
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def serving(kind: type[Server] = Server) -> Iterator[Server]:
    """A server on the loopback address, for as long as the block runs."""
    with kind() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
