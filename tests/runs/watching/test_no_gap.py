"""Whatever happens in whatever order: each entry comes once, in its place."""

import contextlib
import random

import pytest
from django.contrib.auth.models import User
from helpers import eventually
from trees import append, child, root
from web import Web

from runs.lifecycle import touch
from runs.models import Run
from runs.watching import feed, tree


class Reader:
    """Reads a tree as a page does: it keeps what has come, and connects again with what it has."""

    def __init__(self, web: Web, user: User, run: Run) -> None:
        self._web, self._user = web, user
        self.root = run.pk
        self.has: dict[str, list[int]] = {run.pk: []}
        self.titles: dict[str, str] = {}
        self._stall = contextlib.ExitStack()
        self.stalled = False
        self._connect()

    def _connect(self) -> None:
        self._socket = self._web.open(self._user)
        self._socket.subscribe(self.root, afterSeq={run_id: len(seqs) for run_id, seqs in self.has.items()})

    def stall(self, stalled: bool) -> None:
        self._stall.close()
        self.stalled = stalled
        if stalled:
            self._stall.enter_context(self._socket.stalled())

    def reconnect(self) -> None:
        self._socket.close()
        self.keep()
        self._connect()

    def keep(self) -> None:
        for frame in self._socket.rest():
            assert frame["_"] != "error", frame
            if frame["_"] == "append":
                self.has.setdefault(frame["runId"], []).extend(entry["seq"] for entry in frame["entries"])
            elif frame["_"] == "change":
                self.titles[frame["run"]["id"]] = frame["run"]["title"]
        self._socket.frames.clear()


@pytest.mark.parametrize("seed", range(6))
def test_there_is_no_gap_and_nothing_twice(web: Web, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Appends, new children, changes, stalls, cuts and reconnects, with room for two frames only."""
    chance = random.Random(seed)
    monkeypatch.setattr(feed, "WINDOW_FRAMES", 2)
    monkeypatch.setattr(tree, "ENTRIES_MAX", 7)
    monkeypatch.setattr(tree, "FRAME_BYTES", 900)
    user = User.objects.create_user("ana")
    runs = [root(user)]
    lasts = {runs[0].pk: 0}
    reader = Reader(web, user, runs[0])
    for _ in range(40):
        run = chance.choice(runs)
        match chance.randrange(7):
            case 0 | 1 | 2:
                lasts[run.pk] = append(run, chance.randrange(1, 12))
            case 3:
                touch(Run.objects.filter(pk=run.pk), title=f"title {chance.random()}")
            case 4 if len(runs) < 4:
                runs.append(child(run))
                lasts[runs[-1].pk] = 0
            case 5:
                reader.stall(not reader.stalled)
            case 6 if not reader.stalled:
                reader.reconnect()
    reader.stall(False)

    def complete() -> bool:
        reader.keep()
        titles = dict(Run.objects.values_list("pk", "title"))
        return {run_id: len(reader.has.get(run_id, [])) for run_id in lasts} == lasts and reader.titles == titles

    eventually(complete, within=20, what="everything has come")
    assert {run_id: reader.has.get(run_id, []) for run_id in lasts} == {
        run_id: list(range(1, last + 1)) for run_id, last in lasts.items()
    }
