"""A server whose every frame a test writes itself, and what clients have sent it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from websockets.asyncio.server import ServerConnection, serve

from runs.client import AsyncDaybook, Token

RUN = "01jqzk7v3c8m2n4p5q6r7s8t9v"
Frame = dict[str, Any]
Act = Callable[["Peer"], Awaitable[None]]


class Peer:
    """One connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def send(self, name: str, **fields: Any) -> None:
        await self._connection.send(json.dumps({"_": name, "key": f"runs/{RUN}", **fields}))

    async def subscribed(self, status: str = "running", last: int = 0, runs: int = 1) -> None:
        """What comes first."""
        await self.send("subscribed", at=0, runs=runs)
        await self.change(status, last)

    async def change(self, status: str, last: int, run_id: str = RUN) -> None:
        await self.send("change", run=standing(run_id, status) | {"nextSeq": last + 1})

    async def append(self, first: int, last: int, run_id: str = RUN) -> None:
        await self.send("append", runId=run_id, entries=[row(seq) for seq in range(first, last + 1)])

    async def close(self, code: int) -> None:
        await self._connection.close(code)

    def cut(self) -> None:
        self._connection.transport.abort()

    async def silence(self) -> None:
        """Until the client has gone."""
        await self._connection.wait_closed()


class Scripted:
    """`acts` are for one connection each, the last one for all further ones; `asked` has each Subscribe."""

    def __init__(self, *acts: Act) -> None:
        self._acts = list(acts)
        self.asked: list[Frame] = []
        self.posted: list[tuple[str, Frame]] = []

    @asynccontextmanager
    async def client(self, patience: float = 10) -> AsyncIterator[AsyncDaybook]:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))
        async with serve(self._serve, "127.0.0.1", 0) as server, http:
            port = server.sockets[0].getsockname()[1]
            async with AsyncDaybook(f"http://127.0.0.1:{port}", Token("t"), patience=patience, http=http) as daybook:
                yield daybook

    async def _serve(self, connection: ServerConnection) -> None:
        act = self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]
        self.asked.append(json.loads(await connection.recv()))
        await act(Peer(connection))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        """A run that has succeeded, with three entries."""
        name, fields = request.url.path.removeprefix("/api/"), json.loads(request.content)
        self.posted.append((name, fields))
        if name == "GetRun":
            run = standing(fields["runId"], "succeeded") | {"continuedAs": None, "journal": {"entries": 3}}
            return httpx.Response(200, json={"_": name, "run": run})
        entries = [{"seq": seq, "at": seq, **body(seq)} for seq in range(fields["afterSeq"] + 1, 4)]
        told = {"entries": entries[: fields["limit"]], "lastSeq": 3, "more": False}
        return httpx.Response(200, json={"_": name, **told})


def followed(scripted: Scripted, **options: Any) -> list[Any]:
    """All that following the run gives."""
    patience = options.pop("patience", 10)

    async def work() -> list[Any]:
        async with scripted.client(patience) as daybook:
            return [item async for item in daybook.follow(RUN, **options)]

    return asyncio.run(work())


def standing(run_id: str, status: str) -> Frame:
    return {"id": run_id, "title": "", "status": status, "words": "", "attempt": 1, "progress": None}


def body(seq: int) -> Frame:
    return {"kind": "log", "callSeq": seq, "message": f"line {seq}"}


def row(seq: int, **more: Any) -> Frame:
    """An entry as it comes through a socket."""
    shown = {"group": "logs", "tone": "", "line": "", "cut": {}, "superseded": None}
    return {"seq": seq, "at": seq, "kind": "log", "callSeq": seq, "body": body(seq), **shown, **more}
