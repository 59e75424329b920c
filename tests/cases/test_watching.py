"""C36, C37 and C38 through a real web process: on SQLite by its counter, on PostgreSQL by hints through Redis."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cases.engines import BOTH
from cases.installation import Installation
from cases.watching import Page, cookie_of
from django.contrib.auth.models import User
from django.db import connections, transaction
from helpers import free_port
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from journal import bodies
from journal.entries import Entry
from runs import queue, signals
from runs.held import HeldRun
from runs.host import Round
from runs.models import Run
from runs.starting import start
from runs.watching import feed

pytestmark = BOTH
RUNNING = False  # the test is the only worker
Watch = Callable[[int, User, str], Page]
SCRIPT = "export default async () => 1"


class Web:
    """The module's web process; `restart` it at the same port."""

    def __init__(self, house: Installation) -> None:
        self._house, self.port = house, free_port()
        self._process = house.serve(self.port)

    def stop(self) -> None:
        self._house.stop(self._process)

    def restart(self) -> None:
        self._process = self._house.serve(self.port)


@pytest.fixture(scope="module")
def web(house: Installation) -> Web:
    return Web(house)


@pytest.fixture
def port(web: Web) -> int:
    return web.port


@pytest.fixture
def ana(house: Installation) -> Iterator[User]:
    user = User.objects.create_user(f"ana{time.time_ns()}")
    yield user
    Run.objects.filter(owner=user).update(owner=None)


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Opens pages, which are closed at the end."""
    pages: list[Page] = []

    def opened(port: int, user: User, root_id: str) -> Page:
        pages.append(Page(port, user, root_id))
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


@pytest.fixture
def held(ana: User) -> HeldRun:
    run = start(SCRIPT, owner=ana).run
    return HeldRun(queue.claim("test", only=run.pk)[0])


def write(held: HeldRun, first: int, count: int = 1, text: str = "") -> None:
    """Entries from seq `first` on, one commit."""
    held.commit(Round([Entry.of(seq, 0, bodies.log(seq, "info", text, None)) for seq in range(first, first + count)]))


def test_c36_a_thousand_appends_a_cut_and_a_restart(web: Web, held: HeldRun, ana: User, watch: Watch) -> None:
    page = watch(web.port, ana, held.run.pk)
    page.read()

    def work() -> None:
        for seq in range(1, 1001):
            write(held, seq)
        connections.close_all()

    writer = threading.Thread(target=work)
    writer.start()
    page.read_until(held.run.pk, 100)
    page.cut()
    page.connect()
    page.read_until(held.run.pk, 300)
    web.stop()
    assert page.read_to_the_end() in (1012, None)
    web.restart()
    page.connect()
    page.read_until(held.run.pk, 1000)
    writer.join()
    assert page.seqs[held.run.pk] == list(range(1, 1001))


def test_c37_what_is_rolled_back_is_not_pushed(port: int, held: HeldRun, ana: User, watch: Watch) -> None:
    page = watch(port, ana, held.run.pk)
    page.read_change()
    with transaction.atomic():
        write(held, 1, 5, "never")
        signals.send(held.run.pk, "never")
        transaction.set_rollback(True)
    write(held, 1, 1, "written")
    frame = page.read()
    assert (frame["_"], [entry["body"]["message"] for entry in frame["entries"]]) == ("append", ["written"])


def test_c38_who_may_not_see_a_run_is_refused(
    house: Installation, port: int, held: HeldRun, ana: User, watch: Watch
) -> None:
    ben = User.objects.create_user(f"ben{time.time_ns()}")
    page = watch(port, ben, held.run.pk)
    assert page.read()["code"] == "unknown-run"
    assert f"refused user={ben.pk} verb=view run={held.run.pk}" in house.log()
    for name in ("Signal", "Retry", "Cancel"):
        page.send({"_": name, "key": f"runs/{held.run.pk}"})
        assert page.read()["code"] == "unknown-frame"
    assert "Traceback" not in house.log()


def test_a_page_of_another_origin_is_refused(port: int, ana: User) -> None:
    cookie = {"Cookie": cookie_of(ana)}
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{port}/ws/runs", origin="http://127.0.0.1:1", additional_headers=cookie)
    assert refused.value.response.status_code == 403


def test_a_page_that_does_not_read_is_told_so_and_misses_nothing(
    port: int, held: HeldRun, ana: User, watch: Watch
) -> None:
    """What waits for it does not pile up in the web process: it falls out of the window, which has a bound."""
    slow, quick = (watch(port, ana, held.run.pk) for _ in range(2))
    for page in (slow, quick):
        page.read_change()
    size = 2000  # bytes of an entry's frame, at least
    room = sent_ahead() + feed.WINDOW_BYTES
    count = 200 * (room * 5 // 4 // size // 200 + 1)
    for first in range(1, count + 1, 200):
        write(held, first, 200, "x" * 1900)
        quick.read_until(held.run.pk, first + 199)
    slow.read_until(held.run.pk, count)
    assert slow.seqs == quick.seqs == {held.run.pk: list(range(1, count + 1))}
    assert "behind" in slow.names
    assert "behind" not in quick.names


def sent_ahead() -> int:
    """Bytes that the system takes from a server before the client has read any."""
    try:
        return int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[2])
    except OSError:
        return 4 * 1024 * 1024


def test_what_others_do_to_a_run_is_seen_at_once(port: int, held: HeldRun, ana: User, watch: Watch) -> None:
    """A signal, of a process that writes no journal, before anybody looks by himself."""
    page = watch(port, ana, held.run.pk)
    page.read_change()
    signals.send(held.run.pk, "go")
    assert page.read(within=1.5)["run"]["inbox"] == 1
    held.commit(Round(progress={"fraction": 0.25}))
    assert page.read(within=1.5)["progress"] == {"fraction": 0.25}
