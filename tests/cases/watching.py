"""A page's socket to a real web process: a client that keeps what it was sent, and connects again with what it has."""

import contextlib
import json
import socket
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

Frame = dict[str, Any]
_SMALL = 4096  # bytes that the system keeps for a client that does not read


def cookie_of(user: User) -> str:
    """The header of a new session."""
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


class Page:
    """Watches one tree; `seqs` are the entries of each run as they came, `names` all frames."""

    def __init__(self, port: int, user: User, root_id: str) -> None:
        self._port, self._root_id = port, root_id
        self._cookie = cookie_of(user)
        self.seqs: dict[str, list[int]] = {}
        self.names: list[str] = []
        self.runs: dict[str, Frame] = {}
        self._open = contextlib.ExitStack()
        self.connect()

    def connect(self) -> None:
        """With what it has; a socket with a small buffer, so that the server feels what is not read."""
        self.close()
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL)
        raw.connect(("127.0.0.1", self._port))
        address, origin = f"ws://127.0.0.1:{self._port}/ws/runs", f"http://127.0.0.1:{self._port}"
        more = {"additional_headers": {"Cookie": self._cookie}, "max_size": None, "max_queue": 1}
        self._socket = self._open.enter_context(connect(address, sock=raw, origin=origin, close_timeout=1, **more))
        after = {run_id: len(seqs) for run_id, seqs in self.seqs.items()}
        self.send({"_": "Subscribe", "key": f"runs/{self._root_id}", "afterSeq": after})

    def send(self, frame: Frame) -> None:
        self._socket.send(json.dumps(frame))

    def read(self, within: float = 20) -> Frame:
        """The next frame; raises `ConnectionClosed` where there is none."""
        frame: Frame = json.loads(self._socket.recv(timeout=within))
        self.names.append(frame["_"])
        if frame["_"] == "append":
            self.seqs.setdefault(frame["runId"], []).extend(entry["seq"] for entry in frame["entries"])
        elif frame["_"] == "change":
            self.runs[frame["run"]["id"]] = frame["run"]
        return frame

    def read_until(self, run_id: str, count: int) -> None:
        while len(self.seqs.get(run_id, [])) < count:
            self.read()

    def read_change(self) -> None:
        while not self.runs:
            self.read()

    def read_to_the_end(self) -> int | None:
        """The close code of the server; None where it has gone without one."""
        try:
            while True:
                self.read()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None

    def cut(self) -> None:
        """As when the network goes: no good-bye."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._open.close()
