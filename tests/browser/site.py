"""An installation whose pages are served: Daphne, workers and clock."""

import contextlib
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from cases.installation import Installation, script
from django.contrib.auth import get_user_model
from django.test import Client
from helpers import answers, eventually, free_port, kill
from proxy import Door

from runs.models import Run
from runs.signals import send
from runs.starting import start

P = ParamSpec("P")
T = TypeVar("T")


class Site(Installation):
    """What touches its database goes through `ask`.

    Playwright keeps an event loop in the thread of the tests, where Django's ORM refuses to work.
    """

    def __init__(self, folder: Path, each: int = 1, **environ: str) -> None:
        super().__init__(folder, **({"LOG_LEVEL": "WARNING"} | environ))
        self.each = each  # clusters, clocks, and web processes, to which a door deals out connections in turn
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.door: Door | None = None
        self.deaths = 0  # in storms
        self._cookies: dict[str, str] = {}
        self._thread = ThreadPoolExecutor(1, "site")
        self._join = self.joined()
        self.ask(self._join.__enter__)

    def ask(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call it in the thread that is joined to this installation."""
        return self._thread.submit(function, *arguments, **named).result()

    def begin(self, each: int = 1) -> None:
        super().begin(self.each)
        if self.each == 1:
            self.ports = [self.port]
            self.serve(self.port)
        else:
            self.door = Door(*(("127.0.0.1", port) for port in self.ports), port=self.port)
            self.door.__enter__()

    def close(self) -> None:
        if self.door:
            self.door.__exit__()
        super().close()
        self.ask(self._join.__exit__, None, None, None)
        self._thread.shutdown()

    # The web processes

    def cut(self) -> None:
        """End them at once, as a crash does; `serve_again` starts others."""
        if self.door:
            self.door.shut()
        for process in self.mains("daphne"):
            process.kill()
            process.wait()
            self.started.remove(process)

    def serve_again(self) -> None:
        """Start them, at the same address each time."""
        for port in self.ports:
            self.serve(port)
        if self.door:
            self.door.open()

    @contextlib.contextmanager
    def storm(self, chance: random.Random) -> Iterator[None]:
        """Every second or so a worker, a cluster or a clock is killed; at the end a web process is."""
        over = threading.Event()

        def rage() -> None:
            while not over.wait(chance.uniform(0.5, 1.5)):
                victim = chance.choice([*self.workers(), *self.mains("qcluster", "runclock")])
                if isinstance(victim, int):
                    kill(victim)
                else:
                    self.kill_and_start_again(victim)
                self.deaths += 1

        raging = threading.Thread(target=rage, name="storm")
        raging.start()
        try:
            yield
        finally:
            over.set()
            raging.join()
            self.kill_and_start_again(chance.choice(self.mains("daphne")))
            self.deaths += 1
            for port in self.ports:
                eventually(lambda port=port: answers(port))

    # People and their runs

    def cookie(self, user: str) -> str:
        """The session of a user, made at first: `ada` may do all, anybody else has only runs of their own."""
        if user not in self._cookies:
            self._cookies[user] = self.ask(_session, user)
        return self._cookies[user]

    def add_user(self, name: str, password: str) -> None:
        get_user_model().objects.create_user(name, password=password)

    def begun(self, body: str, owner: str = "ada", **fields: Any) -> Run:
        """A started run of the owner; `body` is the body of its main function."""
        return self.begun_from(script(body), owner, **fields)

    def begun_from(self, source: str, owner: str = "ada", **fields: Any) -> Run:
        """As `begun`, of a whole script."""
        return self.ask(lambda: start(source, owner=_user(owner), **fields).run)

    def once_ended(self, run: Run) -> Run:
        return self.ask(self.ended, run)

    def once_parked(self, run: Run) -> Run:
        return self.ask(self.parked, run)

    def signal(self, run: Run, name: str, payload: Any = None) -> None:
        self.ask(send, run.pk, name, payload)


@contextlib.contextmanager
def served(template: Path, folder: Path, each: int = 1, **environ: str) -> Iterator[Site]:
    """A site that begins as a copy of a migrated installation, running."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    site = Site(folder, each, **environ)
    try:
        site.begin()
        yield site
    finally:
        site.close()


def _user(name: str) -> Any:
    users = get_user_model().objects
    found = users.filter(username=name).first()
    return found or (users.create_superuser(name) if name == "ada" else users.create_user(name))


def _session(name: str) -> str:
    client = Client()
    client.force_login(_user(name))
    return client.cookies["sessionid"].value
