"""A bank that scripts send invoices to, which may be out of order."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Bank(ThreadingHTTPServer):
    """While it is not `open`, it hangs up on whoever asks for `/invoices/`; `/reserve/` is always answered, with 202.
    `taken` are the paths that were answered."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Counter)
        self.open = False
        self.taken: list[str] = []

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Counter(BaseHTTPRequestHandler):
    server: Bank

    def do_POST(self) -> None:
        if self.path.startswith("/invoices/") and not self.server.open:
            self.close_connection = True
            return
        self.server.taken.append(self.path)
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads it."""


@contextmanager
def bank() -> Iterator[Bank]:
    with Bank() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
