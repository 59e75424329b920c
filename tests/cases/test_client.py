"""Programs that use `runs.client` with a real server: they start, follow, signal and wait, whatever happens to it."""

import ast
import asyncio
import contextlib
import itertools
import signal
import textwrap
import threading
from collections.abc import Iterator

import pytest
from cases.engines import BOTH
from cases.installation import Installation, entries, look, script
from cases.programs import Programs, key_of, person
from django.contrib.auth.models import Permission, User

from runs import client, signals
from runs.api import tokens
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.client import AsyncDaybook, Change, Daybook, DaybookError, Entry, Key, Token
from runs.models import Message, Run

pytestmark = BOTH
TWO_WAITS = script("""
for (let i = 0; i < 40; i += 1) await ctx.call('echo', { i });
await ctx.waitForEvent({ signal: 'go' });
for (let i = 40; i < 80; i += 1) await ctx.call('echo', { i });
const { payload } = await ctx.waitForEvent({ signal: 'end' });
return payload;
""")


@pytest.fixture(scope="module")
def web(house: Installation) -> Iterator[Programs]:
    programs = Programs(house)
    yield programs
    programs.close()


@pytest.fixture
def ana(house: Installation) -> User:
    return person()


@pytest.fixture
def daybook(web: Programs, ana: User) -> Daybook:
    return web.by_token(ana)


def assert_whole(run_id: str, given: list[Entry]) -> None:
    """Each entry of the journal once, in order, as it is stored."""
    run = Run.objects.get(pk=run_id)
    mine = [entry for entry in given if entry.run_id == run_id]
    assert [{"seq": entry.seq, "at": entry.at, **entry.fields} for entry in mine] == [
        entry.as_dict() for entry in entries(run)
    ]


@pytest.mark.parametrize("way", ["token", "key"])
def test_a_program_starts_a_run_follows_it_signals_it_and_waits_for_it(web: Programs, ana: User, way: str) -> None:
    daybook = web.by_token(ana) if way == "token" else web.by_key(ana)
    started = daybook.start(TWO_WAITS, title="Two waits", input={"n": [1.5, -1, "ü"]})
    assert started["created"] is True
    run_id = started["run"]["id"]
    given = []
    for entry in daybook.follow(run_id):
        given.append(entry)
        if entry.kind == "wait":
            name = entry.fields["match"]["signal"]
            assert daybook.signal(run_id, name, {"by": way})["outcome"] == "delivered"
    assert daybook.wait(run_id, timeout=60)["output"] == {"by": way}
    assert_whole(run_id, given)
    assert daybook.get(run_id)["run"]["title"] == "Two waits"
    assert [brief["id"] for brief in daybook.list(status="succeeded", limit=5)["runs"]] == [run_id]
    assert daybook.journal(run_id, after_seq=len(given) - 1)["lastSeq"] == len(given)


def test_what_is_sent_again_changes_nothing_more(daybook: Daybook) -> None:
    first = daybook.start(TWO_WAITS, request_id="monday")
    assert daybook.start(TWO_WAITS, request_id="monday") == first
    with pytest.raises(DaybookError) as refused:
        daybook.start(TWO_WAITS, title="another", request_id="monday")
    assert (refused.value.code, refused.value.status) == ("request-id-reused", 409)
    run_id = first["run"]["id"]
    for _ in range(2):
        daybook.signal(run_id, "end", request_id="once")
    assert Message.objects.filter(run=run_id).count() == 1
    daybook.cancel(run_id, reason="enough")
    assert daybook.wait(run_id)["status"] == "canceled"


def test_wait_is_over_in_time(daybook: Daybook) -> None:
    run_id = daybook.start(TWO_WAITS)["run"]["id"]
    with pytest.raises(TimeoutError):
        daybook.wait(run_id, timeout=0.01)
    daybook.cancel(run_id)


@pytest.mark.parametrize("way", ["token", "key"])
def test_each_entry_comes_once_although_the_web_process_is_killed(
    house: Installation, web: Programs, ana: User, way: str
) -> None:
    daybook = web.by_token(ana) if way == "token" else web.by_key(ana)
    run_id = daybook.start(TWO_WAITS)["run"]["id"]
    run = Run.objects.get(pk=run_id)
    given = []
    for entry in daybook.follow(run_id):
        given.append(entry)
        if entry.kind != "wait":
            continue
        if entry.fields["match"] == {"signal": "go"}:
            web.kill()
            signals.send(run_id, "go")
            house.parked(run)
            web.serve_again()
        else:
            web.stop()
            signals.send(run_id, "end")
            house.ended(run)
            web.serve_again()
    assert look(run).status == "succeeded"
    assert_whole(run_id, given)


def test_each_entry_comes_once_although_the_line_is_cut(web: Programs, ana: User) -> None:
    line = web.line()
    daybook = web.by_key(ana, url=line.url)
    run_id = daybook.start(TWO_WAITS)["run"]["id"]
    given = []
    for entry in daybook.follow(run_id):
        given.append(entry)
        if entry.seq % 20 == 0:
            line.cut()
        if entry.kind == "wait":
            daybook.signal(run_id, entry.fields["match"]["signal"])
    assert_whole(run_id, given)
    assert line.sockets_opened > 2


def test_without_sockets_it_looks(web: Programs, ana: User) -> None:
    line = web.line(sockets=False)
    daybook = web.by_token(ana, url=line.url)
    run_id = daybook.start(script("return await ctx.delegate({ script: input });"), input=TWO_WAITS)["run"]["id"]
    given, ends = [], []
    for item in daybook.follow(run_id, tree=True, changes=True):
        match item:
            case Change():
                ends += [item.run["id"]] if item.ended else []
            case Entry():
                given.append(item)
                if item.kind == "wait":
                    signals.send(item.run_id, item.fields["match"]["signal"], "done")
    (child,) = Run.objects.filter(parent=run_id)
    assert set(ends) == {run_id, child.pk}
    for pk in (run_id, child.pk):
        assert_whole(pk, given)
    assert line.sockets_opened > 0


def test_a_tree_is_followed_to_the_end_of_all_its_runs(daybook: Daybook) -> None:
    below = script("for (let i = 0; i < 5; i += 1) await ctx.call('echo', { i }); return 1;")
    body = "return await ctx.parallel([1, 2, 3].map((n) => () => ctx.delegate({ script: input, input: n })));"
    run_id = daybook.start(script(body), input=below)["run"]["id"]
    items = list(daybook.follow(run_id, tree=True, changes=True))
    given = [item for item in items if isinstance(item, Entry)]
    runs = list(Run.objects.filter(root=run_id).values_list("pk", flat=True))
    assert len(runs) == 4
    for pk in runs:
        assert_whole(pk, given)
    last = {item.run["id"]: item.run["status"] for item in items if isinstance(item, Change)}
    assert last == dict.fromkeys(runs, "succeeded")
    seqs = {pk: max(entry.seq for entry in given if entry.run_id == pk) for pk in runs}
    assert list(daybook.follow(run_id, tree=True, after_seq=seqs)) == []
    child = next(pk for pk in runs if pk != run_id)
    assert [entry.seq for entry in daybook.follow(child, after_seq=4)] == list(range(5, seqs[child] + 1))


def test_a_run_that_is_continued_is_followed_on(daybook: Daybook) -> None:
    body = "const n = input ?? 0; await ctx.call('echo', { n }); if (n < 2) await ctx.continueAsNew(n + 1); return n;"
    run_id = daybook.start(script(body))["run"]["id"]
    given = list(daybook.follow(run_id))
    chain = list(dict.fromkeys(entry.run_id for entry in given))
    assert (len(chain), chain[0]) == (3, run_id)
    for pk in chain:
        assert_whole(pk, given)
    assert daybook.wait(run_id)["output"] == 2
    seqs = {entry.run_id: entry.seq for entry in given if entry.run_id != chain[-1]}
    assert {entry.run_id for entry in daybook.follow(run_id, after_seq=seqs, tree=True)} == {chain[-1]}


def test_entries_come_whole(daybook: Daybook) -> None:
    body = r"await ctx.log('info', 'a\u0000b'); await ctx.log('info', 'x'.repeat(9000), { y: 'é'.repeat(3000) });"
    run_id = daybook.start(script(body))["run"]["id"]
    assert_whole(run_id, list(daybook.follow(run_id)))


def test_what_is_refused_is_told_by_its_code(daybook: Daybook, web: Programs, ana: User) -> None:
    with pytest.raises(DaybookError) as unknown:
        list(daybook.follow("01jqzk7v3c8m2n4p5q6r7s8t9v"))
    assert unknown.value.code == "unknown-run"
    with pytest.raises(DaybookError) as bad:
        daybook.start("export default async () => Date.now()")
    assert (bad.value.code, bad.value.status) == ("lint", 422)
    assert bad.value.details["findings"][0]["line"] == 1
    with pytest.raises(DaybookError) as role:
        web.by_key(ana, Role.READER).start(TWO_WAITS)
    assert (role.value.code, role.value.status) == ("role", 403)
    run_id = daybook.start(TWO_WAITS)["run"]["id"]
    with pytest.raises(DaybookError) as ahead:
        list(daybook.follow(run_id, after_seq=1000))
    assert ahead.value.code == "ahead-of-journal"
    daybook.cancel(run_id)


def test_who_loses_the_permission_while_following_is_told(web: Programs, ana: User) -> None:
    ben = person("ben")
    ben.user_permissions.add(Permission.objects.get(codename="view_run"))
    run_id = web.by_token(ana).start(TWO_WAITS)["run"]["id"]
    following = web.by_key(ben).follow(run_id)
    next(following)
    ben.user_permissions.clear()
    with pytest.raises(DaybookError) as lost:
        list(following)
    assert (lost.value.code, lost.value.status) == ("permission-lost", 4403)
    web.by_token(ana).cancel(run_id)


def test_a_key_that_is_revoked_while_following_ends_it(web: Programs, ana: User) -> None:
    private, row = key_of(ana)
    with Daybook(web.url, Key(private, ana.get_username())) as daybook:
        run_id = daybook.start(TWO_WAITS)["run"]["id"]
        following = daybook.follow(run_id)
        next(following)
        revoke(row, None)
        with pytest.raises(DaybookError) as lost:
            list(following)
        assert (lost.value.code, lost.value.status) == ("signed-out", 4401)
        with pytest.raises(DaybookError) as refused:
            daybook.get(run_id)
        assert (refused.value.code, refused.value.status) == ("bad-signature", 401)
    web.by_token(ana).cancel(run_id)


def test_many_are_followed_at_once_by_one_client(web: Programs, ana: User) -> None:
    private, _ = key_of(ana)

    async def one(daybook: AsyncDaybook, number: int) -> tuple[int, list[int]]:
        source = script("for (let i = 0; i < 10; i += 1) await ctx.call('echo', { i }); return input;")
        run_id = (await daybook.start(source, input=number))["run"]["id"]
        seqs = [item.seq async for item in daybook.follow(run_id) if isinstance(item, Entry)]
        return (await daybook.wait(run_id, 60))["output"], seqs

    async def all_of_them() -> list[tuple[int, list[int]]]:
        async with AsyncDaybook(web.url, Key(private, ana.get_username())) as daybook:
            return await asyncio.gather(*(one(daybook, number) for number in range(8)))

    outputs, seqs = zip(*asyncio.run(all_of_them()), strict=True)
    assert list(outputs) == list(range(8))
    assert all(list(itertools.islice(itertools.count(1), 20)) == each for each in seqs)


def test_what_is_interrupted_leaves_a_client_that_works(daybook: Daybook) -> None:
    run_id = daybook.start(TWO_WAITS)["run"]["id"]
    main = threading.get_ident()
    following = daybook.follow(run_id)
    for entry in following:
        if entry.kind == "wait":
            break
    threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        next(following)
    with contextlib.closing(daybook.follow(run_id)) as again:
        assert next(again).seq == 1
    daybook.cancel(run_id)


def test_a_client_may_be_closed_while_it_follows(web: Programs, ana: User) -> None:
    _, text = tokens.make(ana, "tests", Role.OWNER, None, None)
    with Daybook(web.url, Token(text)) as daybook:
        run_id = daybook.start(TWO_WAITS)["run"]["id"]
        following = daybook.follow(run_id)
        next(following)
    following.close()
    web.by_token(ana).cancel(run_id)


def test_the_example_of_the_client_works(web: Programs, ana: User, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = tokens.make(ana, "tests", Role.OWNER, None, None)
    assert client.__doc__
    lines = [line for line in client.__doc__.splitlines() if line.startswith("    ") or not line]
    example = textwrap.dedent("\n".join(lines)).replace("daybook_...", text).replace("http://127.0.0.1:8000", web.url)
    exec(compile(example, "example", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3  # the wait, its event, the output
    assert ast.literal_eval(printed[-1]) == {"by": "Ana", "invoice": 17}
