"""The connection of `http.request`: a name is resolved once, every address checked, and one of just these connected to.

So a name server that answers differently the second time (DNS rebinding) is never asked a second time. TLS still sees
the name: certificate and SNI follow the URL's host, since only the TCP connection is made by address.
"""

import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore

from runs.tools.errors import ToolError
from runs.tools.http.addresses import is_allowed, literal, why_refused
from runs.tools.http.deadline import Deadline

Resolver = Callable[[str, int], Sequence[str]]

_CHUNK = 64 * 1024


class CheckedBackend(httpcore.NetworkBackend):
    """httpcore's way to the network; `allow` are patterns of hosts that may be anywhere, private networks included."""

    def __init__(
        self,
        deadline: Deadline,
        allow: Iterable[str],
        resolve: Resolver | None = None,
        inner: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._deadline = deadline
        self._allow = tuple(allow)
        self._resolve = resolve or system_resolver
        self._inner = inner or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """The connection to the first address that answers; raises `ToolError("address-refused")`."""
        addresses = self._addresses(host, port)
        if not is_allowed(host, port, self._allow):
            for address in addresses:
                if kind := why_refused(ipaddress.ip_address(address)):
                    raise refused(host, address, kind)
        problem: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                stream = self._inner.connect_tcp(address, port, self._deadline.left(), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
            else:
                return CheckedStream(stream, self._deadline)
        self._deadline.left()
        raise problem

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.UnsupportedProtocol("http.request speaks TCP only")

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, self._deadline.left()))

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        try:
            address = literal(host)
        except ValueError:
            raise refused(host, host, "a number in disguise: write an IPv4 address as four decimal numbers") from None
        return [str(address)] if address else _in_time(lambda: self._resolve(host, port), self._deadline)


class CheckedStream(httpcore.NetworkStream):
    """A connection whose every step ends at the call's deadline, however slowly the other side drips."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            try:
                return self._inner.read(max_bytes, self._deadline.step())
            except httpcore.ReadTimeout:
                continue  # nothing was read, so nothing is lost; `step` ends the loop

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _CHUNK):
            self._inner.write(buffer[start : start + _CHUNK], self._deadline.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return CheckedStream(self._inner.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def system_resolver(host: str, port: int) -> list[str]:
    """The operating system's addresses of a name, in its order of preference."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise httpcore.ConnectError(f"{host} cannot be resolved ({error})") from error
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def refused(host: str, address: str, kind: str) -> ToolError:
    """`address-refused`, with the way to allow it."""
    name = host if host == address else f"{host}, which is at {address},"
    return ToolError(
        "address-refused",
        f"http.request does not connect to {name} ({kind}); if scripts are meant to reach it, "
        f"list '{host}' in DAYBOOK_HTTP_ALLOW_HOSTS",
    )


def _in_time(resolve: Callable[[], Sequence[str]], deadline: Deadline) -> Sequence[str]:
    """Resolves in a thread of its own, since the system's resolver cannot be told when to give up."""
    answers: queue.SimpleQueue[Sequence[str] | BaseException] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve())
        except BaseException as error:  # noqa: BLE001  (raised again where the answer is awaited)
            answers.put(error)

    threading.Thread(target=ask, name="http.request resolver", daemon=True).start()
    while True:
        try:
            answer = answers.get(timeout=deadline.step())
        except queue.Empty:
            continue
        if isinstance(answer, BaseException):
            raise answer
        return answer
