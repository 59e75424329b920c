"""The sockets `/ws/runs` and `/ws/api`: what each frame asks for, the heartbeat, and the end. Who watches, its
`Watcher` says."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django import db

from runs.access import Person, Verb, told_refused, visible_runs
from runs.models import Run
from runs.watching.hub import hub
from runs.watching.protocol import (
    REFUSED_MAX,
    SUBSCRIPTIONS_MAX,
    Close,
    RefusedFrame,
    Subscribe,
    Unsubscribe,
    frame,
    key_of,
    now_ms,
)
from runs.watching.subscription import Subscription
from runs.watching.watcher import Watcher

logger = logging.getLogger("runs.watching")
HEARTBEAT_SECONDS = 15.0
GUARD_SECONDS = 15.0  # how long a lost permission, an ended session or a revoked key may go unnoticed


class RunsConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """Refuses frame by frame, and ends the socket only for a reason that `protocol.Close` names."""

    # It needs no channel of its own: the hub listens for all sockets of the process.
    channel_layer_alias = "none"

    def __init__(self, *arguments: Any, watcher: Callable[[dict[str, Any]], Watcher], **options: Any) -> None:
        """`watcher` makes one of the connection's scope."""
        super().__init__(*arguments, **options)
        self._watcher_of = watcher
        self._tasks: set[asyncio.Task[None]] = set()
        self._subscriptions: dict[str, asyncio.Task[None]] = {}
        self._refused = 0
        self._over = False

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """A server that stops cancels its applications. (Daphne then mostly ends before the frame has left.)"""
        try:
            await super().__call__(scope, receive, send)
        except asyncio.CancelledError:
            with contextlib.suppress(Exception):
                await self._end(Close.RESTART)
            raise
        finally:
            await _cancelled(*self._tasks)

    async def connect(self) -> None:
        await self.accept()
        self._watcher = self._watcher_of(self.scope)
        try:
            await self._watcher.arrive()
        except RefusedFrame as refused:
            await self._refuse(refused)
        if not self._over and not self._known and not self._watcher.grace:
            await self._end(Close.NOT_SIGNED_IN)
        if self._over:
            return
        self._begin(self._beat())
        self._begin(self._guard())
        if not self._known:
            self._begin(self._grace())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self._over:
            return
        try:
            match await self._watcher.read(text_data, bytes_data):
                case Subscribe() as asked:
                    await self._subscribe(asked)
                case Unsubscribe(key):
                    await self._unsubscribe(key)
        except RefusedFrame as refused:
            await self._refuse(refused)

    @property
    def _known(self) -> bool:
        return bool(self._watcher.user.is_authenticated)

    async def _subscribe(self, asked: Subscribe) -> None:
        if asked.key in self._subscriptions:
            raise RefusedFrame("already-subscribed", "unsubscribe first to ask for something else", asked.key)
        if len(self._subscriptions) >= SUBSCRIPTIONS_MAX:
            await self._end(Close.TOO_MANY)
            return
        try:
            root_id = await self._visible_root(asked.root_id)
        except db.Error as error:
            logger.warning("a subscription to %s could not be checked: %s", asked.key, error)
            await self._end(Close.RESTART)
            return
        if self._over:  # ended meanwhile
            return
        if root_id is None:
            told_refused(self._watcher.user, Verb.VIEW, asked.root_id)
            words = f"there is no run {asked.root_id} that you may see"
            raise RefusedFrame("unknown-run", words, asked.key)
        if root_id != asked.root_id:
            words = f"the run is part of the tree of {root_id}; subscribe to {key_of(root_id)}"
            raise RefusedFrame("not-a-root", words, asked.key, {"root": root_id})
        feeds = hub()
        feed = feeds.open(root_id)
        subscription = Subscription(asked, feed, self.send)
        task = self._subscriptions[asked.key] = self._begin(self._serve(asked.key, subscription))

        def left(_task: asyncio.Task[None]) -> None:
            subscription.leave()
            feeds.let_go(feed)

        task.add_done_callback(left)  # which comes also to a task that is cancelled before it has begun

    async def _unsubscribe(self, key: str) -> None:
        if key not in self._subscriptions:
            raise RefusedFrame("not-subscribed", "there is no subscription of that key", key)
        await _cancelled(self._subscriptions.pop(key))
        await self.send(frame("unsubscribed", key=key))

    async def _serve(self, key: str, subscription: Subscription) -> None:
        try:
            await subscription.run()
            self._subscriptions.pop(key, None)
        except RefusedFrame as refused:
            self._subscriptions.pop(key, None)
            await self._refuse(refused)
        except Exception:
            logger.exception("the subscription to %s has failed", key)
            await self._end(Close.RESTART)

    async def _refuse(self, refused: RefusedFrame) -> None:
        logger.info("refused user=%s key=%s code=%s: %s", self._watcher.user.pk, refused.key, refused.code, refused)
        self._refused += 1
        await self.send(refused.frame())
        if refused.close is not None:
            await self._end(refused.close)
        elif self._refused >= REFUSED_MAX:
            await self._end(Close.BAD_PROTOCOL)

    async def _grace(self) -> None:
        await asyncio.sleep(self._watcher.grace)
        if not self._known:
            await self._end(Close.NOT_SIGNED_IN)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            await self.send(frame("heartbeat", at=now_ms()))

    async def _guard(self) -> None:
        """Look again at who watches and what may be seen; apart from the heartbeat, which a slow reader stops."""
        while True:
            await asyncio.sleep(GUARD_SECONDS)
            try:
                code = await self._checked()
            except db.Error as error:
                logger.warning("permissions could not be checked; trying again: %s", error)
                continue
            except Exception:
                logger.exception("permissions could not be checked")
                code = Close.RESTART
            if code is not None:
                await self._end(code)
                return

    async def _checked(self) -> Close | None:
        """Ends what may not be seen any more; why the socket has to be closed, if it has to."""
        if not await self._watcher.remains():
            return Close.NOT_SIGNED_IN
        asked = list(self._subscriptions)  # others come and go meanwhile
        unseen = [key for key in asked if await self._hidden(key.rpartition("/")[2])]
        lost = [key for key in unseen if key in self._subscriptions]
        for key in lost:
            told_refused(self._watcher.user, Verb.VIEW, key.rpartition("/")[2])
        await _cancelled(*[self._subscriptions.pop(key) for key in lost])
        if lost and not self._subscriptions:
            return Close.FORBIDDEN
        for key in lost:
            words = "you may not see this run any more"
            await self.send(frame("error", key=key, code="permission-lost", message=words))
        return None

    async def _visible_root(self, run_id: str) -> str | None:
        """The root of the run's tree, None where there is no such run that the user may see."""
        found: str | None = await database_sync_to_async(_visible_root)(self._watcher.user, run_id)
        return found

    async def _hidden(self, root_id: str) -> bool:
        """Whether there is that run and the user may not see it: one that was deleted is for the feed to tell."""
        if await self._visible_root(root_id) is not None:
            return False
        return bool(await database_sync_to_async(Run.objects.filter(pk=root_id).exists)())

    async def _end(self, code: Close) -> None:
        """Nothing is sent after it, whoever asks."""
        self._over = True
        await _cancelled(*self._tasks - {asyncio.current_task()})
        await self.close(int(code))

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _visible_root(user: Person, run_id: str) -> str | None:
    return visible_runs(user).filter(pk=run_id).values_list("root_id", flat=True).first()


async def _cancelled(*tasks: "asyncio.Task[None]") -> None:
    """Cancel them and wait until they are through."""
    for task in tasks:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks, return_exceptions=True)
