"""Many sockets on one tree: `crowd.py PORT COOKIE RUN SOCKETS` reads until each has had every entry up to the one that
standard input names, in order, and prints how long that took from then. Reads raw bytes, so that it costs little."""

import asyncio
import base64
import json
import os
import re
import sys
import time

_SEQ = re.compile(rb'"seq":(\d+),')


class Reader(asyncio.Protocol):
    """Follows the seqs of one socket. `wrong`: the first that came out of order."""

    def __init__(self, port: int, cookie: str, run_id: str) -> None:
        self._port, self._cookie, self._run_id = port, cookie, run_id
        self._rest = b""
        self.ready = asyncio.Event()
        self.last = self.bytes = 0
        self.wrong: int | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        host = f"127.0.0.1:{self._port}"
        lines = [
            "GET /ws/runs HTTP/1.1",
            f"Host: {host}",
            f"Origin: http://{host}",
            f"Cookie: {self._cookie}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        ]
        transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)
        data = self._rest + data
        if b"101 Switching" in data:
            self._transport.write(masked(json.dumps({"_": "Subscribe", "key": f"runs/{self._run_id}"}).encode()))
        if b'"_":"change"' in data:
            self.ready.set()
        end = 0
        for found in _SEQ.finditer(data):
            seq = int(found[1])
            if seq != self.last + 1 and self.wrong is None:
                self.wrong = seq
            self.last, end = seq, found.end()
        self._rest = data[max(end, len(data) - 32) :]


def masked(text: bytes) -> bytes:
    """A text frame of a client, below 126 bytes."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


async def main(port: int, cookie: str, run_id: str, sockets: int) -> None:
    loop = asyncio.get_running_loop()
    readers = [Reader(port, cookie, run_id) for _ in range(sockets)]
    for reader in readers:
        await loop.create_connection(lambda reader=reader: reader, "127.0.0.1", port)
        await asyncio.wait_for(reader.ready.wait(), 60)
    print("ready", flush=True)
    last = int(await loop.run_in_executor(None, sys.stdin.readline))
    began = time.monotonic()
    # An event for each would cost the readers more.
    while any(reader.last < last for reader in readers) and time.monotonic() - began < 120:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    took = time.monotonic() - began
    complete = sum(reader.last == last and reader.wrong is None for reader in readers)
    print(json.dumps({"complete": complete, "behind_s": took, "bytes": sum(r.bytes for r in readers)}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
