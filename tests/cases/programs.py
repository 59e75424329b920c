"""A web process for programs: users with tokens and keys, clients of the product's own, and a line that can be cut."""

import contextlib
import secrets
import signal
import socket
import threading
import time
from typing import Any, Self

from cases.installation import Installation
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from helpers import free_port

from runs.api import keys, tokens
from runs.api.roles import Role
from runs.client import Daybook, Key, Token
from runs.models import ApiKey

PATIENCE = 60.0


class Programs:
    """The web process of an installation, and who asks it."""

    def __init__(self, house: Installation) -> None:
        self._house, self.port = house, free_port()
        self._process = house.serve(self.port)
        self._open = contextlib.ExitStack()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        self._house.stop(self._process)

    def serve_again(self) -> None:
        self._process = self._house.serve(self.port)

    def by_token(self, user: User, role: Role = Role.OWNER, **more: Any) -> Daybook:
        _, text = tokens.make(user, "tests", role, None, None)
        return self._client(Token(text), **more)

    def by_key(self, user: User, role: Role = Role.OWNER, **more: Any) -> Daybook:
        private, _ = key_of(user, role)
        return self._client(Key(private, user.get_username()), **more)

    def _client(self, credentials: Token | Key, url: str = "") -> Daybook:
        return self._open.enter_context(Daybook(url or self.url, credentials, patience=PATIENCE))

    def line(self, *, sockets: bool = True) -> "Line":
        return self._open.enter_context(Line(self.port, sockets=sockets))

    def close(self) -> None:
        self._open.close()


def key_of(user: User, role: Role = Role.OWNER) -> tuple[bytes, ApiKey]:
    """A new private key, and the row of its public one."""
    private = secrets.token_bytes(32)
    public = Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    return private, keys.register(user, public.hex(), "tests", role, None, None)


def person(name: str = "ana") -> User:
    """A new user who may start runs; the name is made a new one."""
    from django.contrib.auth.models import Permission

    user = User.objects.create_user(f"{name}{time.time_ns()}")
    user.user_permissions.add(Permission.objects.get(codename="start_run"))
    return user


class Line:
    """A port that leads to another one; `cut` ends all that goes through it, as a network does. Without `sockets` it
    hangs up on who asks for one."""

    def __init__(self, port: int, *, sockets: bool) -> None:
        self._to, self._sockets = port, sockets
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._ends: set[socket.socket] = set()
        self.opened: list[bytes] = []  # the first line of each connection

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    @property
    def sockets_opened(self) -> int:
        return sum(b"/ws/api" in line for line in self.opened)

    def cut(self) -> None:
        for end in list(self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError):
            first = near.recv(65536)
            self.opened.append(first.partition(b"\r\n")[0])
            if not self._sockets and b"/ws/api" in self.opened[-1]:
                return
            with socket.create_connection(("127.0.0.1", self._to)) as far:
                far.sendall(first)
                self._ends |= {near, far}
                back = threading.Thread(target=_pass_on, args=(far, near), daemon=True)
                back.start()
                _pass_on(near, far)
                back.join()
                self._ends -= {near, far}


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
