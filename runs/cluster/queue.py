"""A queue between processes without a lock in user space: a pair of datagram sockets.

The kernel hands each message whole to exactly one reader, in order, and wakes one reader a message. So a process that
is killed at any moment loses at most the message that it had already taken, and never blocks the others.
"""

import array
import ctypes
import errno
import os
import pickle
import select
import socket
import tempfile
import time
from multiprocessing.sharedctypes import RawValue
from queue import Empty, Full
from typing import Any

HEADER = 8
# A larger message travels as an open, nameless file: the kernel bounds the size of a datagram (2 KiB and up, by
# system), and frees such a file with its last holder, whoever is killed.
INLINE_BYTES = 16 * 1024
BUFFER_BYTES = 256 * 1024
RIGHTS_BYTES = socket.CMSG_LEN(array.array("i").itemsize)
# How long a writer naps while the queue is full; a task takes a worker milliseconds at the least.
NAP_SECONDS = 0.002


class KillSafeQueue:
    """What q2 uses of `multiprocessing.Queue`: put, get, empty, qsize, close, join_thread. Made before the fork.

    `maxsize` bounds how many messages wait, for one writing process beside the maker (q2's pusher). It counts by
    numbering the messages: readers note the number they took, each overwriting the last. A reader that is killed or
    overtaken between taking and noting makes the count too high until the next note, and an empty socket settles it.
    """

    def __init__(self, maxsize: int = 0) -> None:
        self._reader, self._writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        self._reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self._maker = os.getpid()
        self._maxsize = maxsize
        self._sent = RawValue(ctypes.c_uint64, 0)
        self._taken = RawValue(ctypes.c_uint64, 0)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add a message of any size that can be pickled; waits while the queue is full. Raises `queue.Full` in time.

        The bound does not hold for the maker, q2's sentinel: it adds only the pills that end the workers, and must not
        wait for workers that may be dead.
        """
        payload = pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL)
        deadline = _deadline(block, timeout)
        bounded = self._maxsize and os.getpid() != self._maker
        while bounded and self.qsize() >= self._maxsize:
            _nap(deadline)
        number = self._sent.value + 1
        header = number.to_bytes(HEADER, "big")
        if len(payload) <= INLINE_BYTES:
            self._send(header + payload, [], deadline)
        else:
            with tempfile.TemporaryFile() as file:
                file.write(payload)
                file.flush()
                self._send(header, [file.fileno()], deadline)
        self._sent.value = number

    def _send(self, message: bytes, files: list[int], deadline: float) -> None:
        # `socket.send_fds` and `recv_fds` do the same, but ignore the flags they are given.
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        while True:
            try:
                self._writer.sendmsg([message], rights, socket.MSG_DONTWAIT)
                return
            except OSError as error:
                # The socket's buffer is full; BSD says so as ENOBUFS, and does not tell when there is room again.
                if error.errno not in {errno.EAGAIN, errno.EWOULDBLOCK, errno.ENOBUFS}:
                    raise
            _nap(deadline)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take the oldest message; waits for one. Raises `queue.Empty` in time."""
        deadline = _deadline(block, timeout)
        flags = 0 if block and timeout is None else socket.MSG_DONTWAIT
        while True:
            try:
                message, rights, _, _ = self._reader.recvmsg(HEADER + INLINE_BYTES, RIGHTS_BYTES, flags)
                break
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Empty from None
                select.select([self._reader], [], [], left)
        self._taken.value = int.from_bytes(message[:HEADER], "big")
        payload = _read(rights[0][2]) if rights else message[HEADER:]
        return pickle.loads(payload)  # noqa: S301  (only this cluster's processes hold the other end of the pair)

    def empty(self) -> bool:
        """Whether no message waits; exact."""
        readable, _, _ = select.select([self._reader], [], [], 0)
        return not readable

    def qsize(self) -> int:
        """How many messages wait: with one reader exact, else too high by those overtaken or killed while taking."""
        return 0 if self.empty() else max(1, self._sent.value - self._taken.value)

    def close(self) -> None:
        """Nothing to do: what was put is with the kernel already, and q2 still asks for the size afterwards."""

    def join_thread(self) -> None:
        """Nothing to wait for: there is no feeding thread."""

    def __del__(self) -> None:
        self._reader.close()
        self._writer.close()


def _deadline(block: bool, timeout: float | None) -> float:
    if not block:
        return 0.0
    return float("inf") if timeout is None else time.monotonic() + timeout


def _nap(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise Full
    time.sleep(NAP_SECONDS)


def _read(rights: bytes) -> bytes:
    with os.fdopen(array.array("i", rights)[0], "rb") as file:
        file.seek(0)
        return file.read()
