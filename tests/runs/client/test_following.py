"""Whatever a socket does, each entry is given once, in order, or it is said why not."""

import asyncio
import json

import httpx
import pytest
from scripted import RUN, Peer, Scripted, body, followed, row

from runs.client import Change, DaybookError, Entry, polling, socket


async def rest(peer: Peer) -> None:
    await peer.subscribed("succeeded", 3)
    await peer.append(2, 3)


async def everything(peer: Peer) -> None:
    await peer.subscribed("succeeded", 3)
    await peer.append(1, 3)


def seqs(items: list[Entry]) -> list[int]:
    return [item.seq for item in items]


def test_it_ends_with_the_run_and_its_last_entry() -> None:
    async def live(peer: Peer) -> None:
        await peer.subscribed("running", 1)
        await peer.append(1, 1)
        await peer.change("succeeded", 3)
        await peer.append(2, 3)

    scripted = Scripted(live)
    assert followed(scripted) == [Entry(RUN, seq, seq, body(seq)) for seq in (1, 2, 3)]
    assert scripted.asked == [{"_": "Subscribe", "key": f"runs/{RUN}", "afterSeq": {}, "journals": [RUN]}]
    assert scripted.posted == [("GetRun", {"runId": RUN})]


@pytest.mark.parametrize("code", [1000, 1001, 1011, 1012, 4429, None])
def test_a_socket_that_is_closed_is_followed_by_another_from_there_on(code: int | None) -> None:
    async def a_part(peer: Peer) -> None:
        await peer.subscribed()
        await peer.append(1, 1)
        if code is None:
            peer.cut()
        else:
            await peer.close(code)

    scripted = Scripted(a_part, rest)
    assert seqs(followed(scripted)) == [1, 2, 3]
    assert scripted.asked[-1]["afterSeq"] in ({RUN: 1}, {})  # a cut may take the entry with it


def test_one_through_which_nothing_comes_any_more_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "SILENCE_SECONDS", 0.2)

    async def falls_silent(peer: Peer) -> None:
        await peer.subscribed()
        await peer.append(1, 1)
        await peer.silence()

    scripted = Scripted(falls_silent, rest)
    assert seqs(followed(scripted)) == [1, 2, 3]
    assert scripted.asked[1]["afterSeq"] == {RUN: 1}


def test_what_comes_twice_is_given_once_and_a_gap_is_not_taken() -> None:
    async def stammers(peer: Peer) -> None:
        await peer.subscribed()
        await peer.append(1, 1)
        await peer.append(1, 2)
        await peer.append(4, 4)
        await peer.silence()

    async def goes_on(peer: Peer) -> None:
        await peer.subscribed("succeeded", 4)
        await peer.append(1, 4)

    scripted = Scripted(stammers, goes_on)
    assert seqs(followed(scripted)) == [1, 2, 3, 4]
    assert scripted.asked[1]["afterSeq"] == {RUN: 2}


def test_who_is_behind_or_whose_server_has_no_database_reads_on() -> None:
    async def stumbles(peer: Peer) -> None:
        await peer.subscribed("running", 1)
        await peer.send("behind")
        await peer.send("error", code="database", message="away")
        await peer.send("heartbeat", at=1)
        await peer.change("succeeded", 3)
        await peer.append(1, 3)

    scripted = Scripted(stumbles)
    assert seqs(followed(scripted)) == [1, 2, 3]
    assert len(scripted.asked) == 1


def test_a_server_that_is_too_busy_is_asked_again_when_it_says() -> None:
    async def busy(peer: Peer) -> None:
        await peer.send("error", code="rate-limited", message="later", details={"retryAfter": 0})
        await peer.close(4429)

    assert seqs(followed(Scripted(busy, everything))) == [1, 2, 3]


@pytest.mark.parametrize(("close", "code"), [(4400, "bad-protocol"), (4401, "signed-out"), (4403, "permission-lost")])
def test_what_would_be_the_same_again_is_raised(close: int, code: str) -> None:
    async def closes(peer: Peer) -> None:
        await peer.subscribed()
        await peer.close(close)

    with pytest.raises(DaybookError) as raised:
        followed(Scripted(closes))
    assert (raised.value.code, raised.value.status) == (code, close)


@pytest.mark.parametrize("tree", [False, True])
def test_a_run_that_is_deleted_is_followed_no_further(tree: bool) -> None:
    given = []

    async def deletes(peer: Peer) -> None:
        await peer.subscribed("waiting", 1)
        await peer.append(1, 1)
        await peer.send("deleted", runId=RUN)
        await peer.silence()

    async def work(scripted: Scripted) -> None:
        async with scripted.client() as daybook:
            async for item in daybook.follow(RUN, tree=tree):
                given.append(item)  # noqa: PERF401  (what came before the end counts too)

    with pytest.raises(DaybookError, match=f"run {RUN} was deleted") as raised:
        asyncio.run(work(Scripted(deletes)))
    assert (raised.value.code, seqs(given)) == ("deleted", [1])


def test_waiting_for_a_run_that_is_deleted_ends() -> None:
    async def deletes(peer: Peer) -> None:
        await peer.subscribed("waiting", 1)
        await peer.send("deleted", runId=RUN)
        await peer.silence()

    async def work() -> None:
        async with Scripted(deletes).client() as daybook:
            await daybook.wait(RUN)

    with pytest.raises(DaybookError) as raised:
        asyncio.run(work())
    assert raised.value.code == "deleted"


def test_where_it_looks_by_itself_a_run_that_is_deleted_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "_PAUSE_SECONDS", 0.01)

    async def hangs_up(peer: Peer) -> None:
        peer.cut()

    class Deleted(Scripted):
        """There at the first look, and then no more."""

        def _answer(self, request: httpx.Request) -> httpx.Response:
            if [name for name, _ in self.posted].count("GetRun"):
                told = {"_": "Error", "code": "unknown-run", "message": f"there is no run {RUN}"}
                return httpx.Response(404, json=told)
            answer = super()._answer(request)
            told = json.loads(answer.content)
            return httpx.Response(200, json=told | {"run": told["run"] | {"status": "waiting"}})

    scripted = Deleted(hangs_up)
    with pytest.raises(DaybookError, match=f"there is no run {RUN}") as raised:
        followed(scripted)
    assert (raised.value.code, raised.value.status) == ("unknown-run", 404)
    assert [name for name, _ in scripted.posted] == ["GetRun"]


def test_what_the_server_says_before_it_closes_is_what_is_raised() -> None:
    async def refuses(peer: Peer) -> None:
        await peer.send("error", code="bad-token", message="another one")
        await peer.close(4401)

    with pytest.raises(DaybookError, match="another one") as raised:
        followed(Scripted(refuses))
    assert raised.value.code == "bad-token"


def test_a_server_that_hangs_up_each_time_is_given_up_at_last() -> None:
    async def hangs_up(peer: Peer) -> None:
        await peer.subscribed()
        await peer.close(1012)

    with pytest.raises(DaybookError) as raised:
        followed(Scripted(hangs_up), patience=0.3)
    assert raised.value.code == "unreachable"


def test_where_no_socket_carries_anything_it_looks_by_itself() -> None:
    async def hangs_up(peer: Peer) -> None:
        peer.cut()

    scripted = Scripted(hangs_up)
    assert followed(scripted, after_seq=1) == [Entry(RUN, seq, seq, body(seq)) for seq in (2, 3)]
    assert ("GetRunJournal", {"runId": RUN, "afterSeq": 1, "limit": 500}) in scripted.posted


@pytest.mark.parametrize(
    "shown", [{"cut": {"message": 9000}}, {"body": {"kind": "log", "message": "a\\u0000b"}}, {"body": {}}]
)
def test_what_is_shown_shortened_or_escaped_is_read_whole(shown: dict[str, object]) -> None:
    async def shortens(peer: Peer) -> None:
        await peer.subscribed("succeeded", 3)
        await peer.append(1, 1)
        await peer.send("append", runId=RUN, entries=[row(2, **shown), row(3)])

    scripted = Scripted(shortens)
    assert followed(scripted) == [Entry(RUN, seq, seq, body(seq)) for seq in (1, 2, 3)]
    assert scripted.posted[0] == ("GetRunJournal", {"runId": RUN, "afterSeq": 1, "limit": 2})


def test_an_entry_that_was_left_behind_says_by_which_attempt() -> None:
    async def retried(peer: Peer) -> None:
        await peer.subscribed("succeeded", 1)
        await peer.send("append", runId=RUN, entries=[row(1, superseded=2)])

    assert followed(Scripted(retried)) == [Entry(RUN, 1, 1, body(1) | {"supersededBy": 2})]


def test_a_tree_is_not_over_before_all_of_it_was_told_of() -> None:
    """The root is told of first, and here nothing of its journal is missing."""

    async def tells(peer: Peer) -> None:
        await peer.subscribed("succeeded", 1, runs=2)
        await peer.change("running", 0, "child")
        await peer.change("succeeded", 1, "child")
        await peer.append(1, 1, "child")

    items = followed(Scripted(tells), tree=True, changes=True, after_seq=1)
    assert [type(item) for item in items] == [Change, Change, Change, Entry]
    assert items[-1] == Entry("child", 1, 1, body(1))


def test_a_run_below_a_root_is_followed_in_the_tree_of_that() -> None:
    async def names_the_root(peer: Peer) -> None:
        await peer.send("error", code="not-a-root", message="", details={"root": "r00t"})
        await peer.silence()

    scripted = Scripted(names_the_root, everything)
    assert seqs(followed(scripted)) == [1, 2, 3]
    assert (scripted.asked[1]["key"], scripted.asked[1]["journals"]) == ("runs/r00t", [RUN])
