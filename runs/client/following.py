"""Following a run: its entries, each once and in order, whatever becomes of server and network meanwhile."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from . import wire
from .errors import DaybookError
from .items import ENDED, Item
from .patience import Patience
from .place import Place
from .polling import Polling
from .socket import Frame, NoSocket, Socket, SocketLost
from .transport import Transport

_STEADY_SECONDS = 5.0  # a socket that has lasted so long was no failure
_SOCKET_AGAIN_SECONDS = 60.0  # between two attempts, at most, where none can be opened
# What the server says of itself, after which it goes on.
_PASSING = frozenset({"database", "internal-error"})


class Following:
    """`items` gives them until the run has ended, then those of the run that it was continued as, and so on. `facts` is
    then what GetRun says of the last one. Raises `DaybookError`."""

    def __init__(
        self, transport: Transport, run_id: str, after: Mapping[str, int], *, tree: bool, entries: bool = True
    ) -> None:
        self._transport = transport
        self._after, self._tree, self._entries = dict(after), tree, entries
        self._patience = Patience(transport.patience)
        self.facts: dict[str, Any] = {}
        self._without = 0  # how often in a row there was no socket
        self._go_to(run_id)

    def _go_to(self, run_id: str) -> None:
        self._place = Place(run_id, self._after, tree=self._tree, entries=self._entries)

    async def items(self) -> AsyncGenerator[Item, None]:
        while self.facts.get("status") not in ENDED or self.facts["continuedAs"]:
            if following := self.facts.get("continuedAs"):
                self._go_to(following)
            async with aclosing(self._to_the_end()) as items:
                async for item in items:
                    yield item
            self._after |= self._place.seqs
            self.facts = (await self._transport.call("GetRun", {"runId": self._place.run_id}))["run"]

    async def _to_the_end(self) -> AsyncGenerator[Item, None]:
        self._place.begin(None)
        while not self._place.over:
            try:
                async with Socket(self._transport) as socket, aclosing(self._read(socket)) as items:
                    async for item in items:
                        yield item
            except SocketLost as lost:
                await self._pause(lost)
            except NoSocket:
                seconds = min(_SOCKET_AGAIN_SECONDS, 2.0 ** min(self._without, 10) - 1)
                self._without += 1
                async with aclosing(Polling(self._transport, self._place).items(seconds)) as items:
                    async for item in items:
                        yield item

    async def _read(self, socket: Socket) -> AsyncGenerator[Item, None]:
        """Returns at the end, and where another subscription is needed."""
        opened = time.monotonic()
        self._place.begin(None)
        await socket.send("Subscribe", self._place.subscription())
        while not self._place.over:
            frame = await socket.read()
            self._without = 0
            if frame["_"] == "error" and not self._goes_on(frame):
                return
            items = await self._items(frame)
            if items or time.monotonic() - opened > _STEADY_SECONDS:
                self._patience.renew()
            for item in items:
                yield item

    async def _pause(self, lost: SocketLost) -> None:
        seconds = self._patience.pause(lost.retry_after)
        if seconds is None:
            raise DaybookError("unreachable", f"{lost}, and so each time for {self._transport.patience:g} s")
        await asyncio.sleep(seconds)

    async def _items(self, frame: Frame) -> list[Item]:
        place = self._place
        match frame["_"]:
            case "deleted":
                raise DaybookError(
                    "deleted", f"run {place.run_id} was deleted while it was followed, with its whole tree"
                )
            case "subscribed":
                place.begin(frame["runs"])
            case "change":
                return place.changed(frame["run"])
            case "appendPartial" if frame["runId"] in place.runs:
                return place.changed(place.runs[frame["runId"]] | {"progress": frame["progress"]})
            case "append":
                try:
                    return place.appended(frame["runId"], await self._whole(frame["runId"], frame["entries"]))
                except ValueError as gap:
                    raise SocketLost(str(gap)) from None
        return []

    def _goes_on(self, error: Frame) -> bool:
        """False where another subscription does better; raises what it tells of otherwise."""
        details = error.get("details") or {}
        match error["code"]:
            case code if code in _PASSING:
                return True
            case "rate-limited":
                raise SocketLost(error["message"], details.get("retryAfter"))
            case "not-a-root":
                self._place.root_id = details["root"]
                return False
            case "not-in-tree" if self._tree:  # those after which a successor, or its tree, is to go on
                for run_id in details["runs"]:
                    del self._place.seqs[run_id]
                return False
        raise DaybookError.of(error)

    async def _whole(self, run_id: str, rows: list[Frame]) -> list[dict[str, Any]]:
        """The entries of a frame. There they are written for display, a long value as its beginning; where one is not
        as it was, they are read again."""
        if not any(row["cut"] or not row["body"] or _escaped(row["body"]) for row in rows):
            return [_entry(row) for row in rows]
        after, last = rows[0]["seq"] - 1, rows[-1]["seq"]
        entries: list[dict[str, Any]] = []
        while after < last:
            fields = {"runId": run_id, "afterSeq": after, "limit": min(last - after, 1000)}
            page = (await self._transport.call("GetRunJournal", fields))["entries"]
            if not page:
                raise SocketLost(f"entry {after + 1} of run {run_id} is not there")
            entries += page
            after = page[-1]["seq"]
        return entries


def _escaped(body: dict[str, Any]) -> bool:
    r"""Whether a text may stand for one with a NUL or a lone surrogate, which the server shows as `\u0000` and such."""
    return "\\\\u" in wire.as_json(body)


def _entry(row: Frame) -> dict[str, Any]:
    """As GetRunJournal gives it."""
    entry = {"seq": row["seq"], "at": row["at"], **row["body"]}
    return entry if row["superseded"] is None else entry | {"supersededBy": row["superseded"]}
