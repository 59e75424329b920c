"""The page of a run: who sees it, what it says, that script-made text is text, and how many queries it takes."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from going import begun, define_tools

from journal import bodies, codec
from journal.models import RunJournal
from runs import signals
from runs.lifecycle import Move, move
from runs.models import Run
from runs.operations import fork
from runs.tools import registered

pytestmark = pytest.mark.django_db
advancing = pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own
TABS = ["activity", "calls", "timeline", "source", "values"]
PARTS = ["overview", "aside", *TABS]
HOSTILE = '</script><img src=x onerror="alert(1)">\u202e<b>&amp;</b>\ud800'


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


class Page(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.elements if "id" in attributes]

    def links(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.elements if tag == "a"]


def page_of(client: Client, run: Run, query: str = "") -> Page:
    answer = client.get(f"/runs/{run.pk}/{query}")
    assert answer.status_code == 200
    return Page(answer.content.decode())


def part(client: Client, run: Run, name: str, query: str = "") -> Page:
    answer = client.get(f"/runs/{run.pk}/part/{name}/{query}")
    assert answer.status_code == 200
    return Page(answer.content.decode())


def words(page: Page) -> str:
    return " ".join(page.text.split())


@pytest.mark.parametrize("path", ["", "part/overview/", "entries/", "call/1/"])
def test_strangers_are_asked_to_sign_in_and_others_see_nothing(
    run: Run, path: str, person: Callable[..., User]
) -> None:
    address = f"/runs/{run.pk}/{path}"
    assert Client().get(address)["Location"] == f"/login/?next={address}"
    other = Client()
    other.force_login(person("bob"))
    assert other.get(address).status_code == 404
    viewer = Client()
    viewer.force_login(person("eve", "view"))
    assert viewer.get(f"/runs/{run.pk}/").status_code == 200


@advancing
def test_a_fork_of_somebody_else_is_not_told(browser: Client, owner: User, person: Callable[..., User]) -> None:
    run = begun("await ctx.call('note', {v: 1})", owner=owner)
    eve = person("eve", "view", "fork")
    forked = Run.objects.get(pk=fork(run.pk, 1, owner=eve).run_id)
    link = f"/runs/{forked.pk}/"
    assert link not in page_of(browser, run).links()
    assert link not in part(browser, run, "aside").links()
    viewer = Client()
    viewer.force_login(eve)
    assert link in page_of(viewer, run).links()


def test_the_page_only_reads(browser: Client, run: Run) -> None:
    for path in ("", "part/overview/", "entries/", "call/1/"):
        assert browser.post(f"/runs/{run.pk}/{path}").status_code == 405


@pytest.mark.parametrize("query", ["?tab=nonsense", "part/nonsense/", "call/99/", "call/99999999999999/"])
def test_what_there_is_not_is_not_found(browser: Client, run: Run, query: str) -> None:
    assert browser.get(f"/runs/{run.pk}/{query}").status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "?before=x&at=-1",
        "?at=99999999999999999999",
        "?before=0&show=nonsense",
        "?order=²",
        f"?before={'9' * 5000}",
        f"?at={'9' * 5000}",
        f"?call={'9' * 5000}",
        f"?tab=timeline&zoom={'9' * 5000}",
        f"?at={'0' * 5000}7",
    ],
    ids=lambda query: query[:24],
)
def test_an_address_that_makes_no_sense_shows_what_it_can(browser: Client, run: Run, query: str) -> None:
    assert browser.get(f"/runs/{run.pk}/{query}").status_code == 200


def test_the_head_says_where_the_run_stands_and_whose_turn_it_is(browser: Client, run: Run) -> None:
    told = words(page_of(browser, run))
    assert "Greeting" in told
    assert re.search(r"Queued since \d\d:\d\d:\d\d UTC", told)
    assert "A worker takes it as soon as one is free." in told


def test_a_sleeping_run_says_until_when_and_counts_down(browser: Client, run: Run) -> None:
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    wake = timezone.now() + timedelta(days=400)
    move(mine, Move.PARK, wake_at=wake, wait=[{"kind": "timer", "callSeq": 1, "wakeAt": int(wake.timestamp() * 1000)}])
    page = page_of(browser, run)
    assert f"Sleeping until {wake:%Y-%m-%d %H:%M} UTC" in words(page)
    assert f"It goes on by itself at {wake:%Y-%m-%d %H:%M} UTC" in words(page)
    assert any(attributes.get("data-until") for _, attributes in page.elements)


@advancing
def test_a_wait_is_answered_on_the_page_by_who_may(browser: Client, owner: User, person: Callable[..., User]) -> None:
    run = begun("return ctx.waitForEvent({signal: 'ok'}, {label: 'Sign-off'})", owner=owner)
    page = part(browser, run, "overview")
    assert "Waiting for Sign-off" in words(page)
    assert "the signal ok" in words(page)
    forms = [attributes for tag, attributes in page.elements if tag == "form"]
    assert [form["data-keep"] for form in forms] == ["w1"]
    assert forms[0]["aria-label"] == "Answer Sign-off"
    fields = {attributes.get("name"): attributes.get("value") for tag, attributes in page.elements if tag == "input"}
    assert fields["wait_id"] == "w1"
    assert fields["name"] == "ok"
    viewer = Client()
    viewer.force_login(person("eve", "view"))
    assert "form" not in [tag for tag, _ in part(viewer, run, "overview").elements]


@advancing
def test_signals_that_nothing_has_taken_are_shown_as_kept(browser: Client, owner: User) -> None:
    run = begun("return ctx.waitForEvent({signal: 'ok'})", owner=owner)
    signals.send(run.pk, "early", {"n": 1})
    told = words(part(browser, run, "overview"))
    assert "Kept in the inbox" in told
    assert "early" in told


@advancing
def test_a_failed_run_leads_from_the_error_to_its_call_and_its_line(browser: Client, owner: User) -> None:
    run = begun(
        "await ctx.call('note', {v: 1});\nreturn ctx.call('once', {v: 'b'}, {description: 'Trying b'})", owner=owner
    )
    page = page_of(browser, run)
    assert "Once" in words(page)
    assert "it broke" in words(page)
    assert "?tab=calls&call=2#call-2" in page.links()
    assert "?tab=source#line-3" in page.links()
    calls = page_of(browser, run, "?tab=calls&call=2")
    assert "call-2" in calls.ids()
    assert "Trying b" in words(calls)
    assert '"v": "b"' in words(calls)
    source = page_of(browser, run, "?tab=source")
    assert ("li", {"id": "line-3", "class": "failing"}) in source.elements
    assert "failed here" in words(source)


@advancing
def test_the_line_where_a_run_is_parked_is_marked(browser: Client, owner: User) -> None:
    run = begun("\nreturn ctx.sleep(ctx.hours(1))", owner=owner)
    page = part(browser, run, "source")
    assert ("li", {"id": "line-3", "class": "parked"}) in page.elements
    assert "waits here" in words(page)


@advancing
def test_plan_progress_and_family_are_shown(browser: Client, owner: User) -> None:
    run = begun(
        """
        await ctx.plan({title: 'Two things', steps: ['First', 'Second']});
        await ctx.step('First', () => ctx.delegate({script: 'export default async () => 1', title: 'The child'}));
        ctx.progress({fraction: 0.5, label: 'half way'});
        return ctx.sleep(ctx.hours(1));
        """,
        owner=owner,
    )
    page = page_of(browser, run)
    for said in ("Two things", "1 of 2", "First", "The child", "50%", "half way"):
        assert said in words(page)
    child = Run.objects.get(parent=run)
    assert f"/runs/{child.pk}/" in page.links()
    assert f"/runs/{run.pk}/" in page_of(browser, child).links()


@advancing
def test_activity_shows_the_newest_entries_and_older_ones_on_demand(
    browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.pages.activity.ROWS", 10)
    run = begun("for (let i = 1; i <= 12; i++) await ctx.call('note', {v: i})", owner=owner)

    def seqs(page: Page) -> list[int]:
        return [int(name.partition("-")[2]) for name in page.ids() if re.fullmatch(r"entry-\d+", name)]

    page = page_of(browser, run)
    assert seqs(page) == list(range(24, 14, -1))
    assert "?tab=activity&before=15" in page.links()
    answer = browser.get(f"/runs/{run.pk}/entries/?before=15")
    assert seqs(Page(answer.content.decode())) == list(range(14, 4, -1))
    assert seqs(page_of(browser, run, "?order=oldest")) == list(range(15, 25))
    assert seqs(page_of(browser, run, "?show=calls"))[0] == 24
    assert seqs(page_of(browser, run, "?show=logs")) == []
    around = page_of(browser, run, "?at=7")
    assert 7 in seqs(around)
    assert "Back to the newest" in words(around)
    assert "Back to the newest" not in words(page_of(browser, run, "?at=23"))


@advancing
def test_the_calls_are_listed_newest_first_with_older_ones_on_demand(
    browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.reading.calls.NEWEST", 3)
    run = begun("for (let i = 1; i <= 5; i++) await ctx.call('note', {v: i}); await ctx.sleep(1)", owner=owner)

    def listed(query: str) -> list[str]:
        return [name for name in part(browser, run, "calls", query).ids() if name.startswith("call-")]

    assert listed("") == ["call-5", "call-4", "call-3"]
    assert "?tab=calls&before=3" in part(browser, run, "calls").links()
    assert listed("?before=3") == ["call-2", "call-1"]
    assert "call-1" in listed("?call=1")
    assert listed("?call=6")[0] == "call-6"  # a sleep is no tool call, and can be opened all the same


@advancing
def test_a_call_leads_to_its_rewind_and_its_fork_for_who_may(
    browser: Client, owner: User, person: Callable[..., User]
) -> None:
    run = begun("await ctx.call('note', {v: 1}); return ctx.call('note', {v: 2})", owner=owner)
    rewind, fork_it = f"/runs/{run.pk}/retry/?how=rewind&call=2", f"/runs/{run.pk}/fork/?call=2"
    viewer = Client()
    viewer.force_login(person("eve", "view"))
    for path in ("call/2/", "part/calls/?call=2", "?tab=calls&call=2"):
        mine, theirs = (Page(who.get(f"/runs/{run.pk}/{path}").content.decode()).links() for who in (browser, viewer))
        assert {rewind, fork_it} <= set(mine)
        assert not {rewind, fork_it} & set(theirs)
    assert f"/runs/{run.pk}/retry/" in page_of(browser, run).links()
    assert "Rewind to call 2" in words(Page(browser.get(rewind).content.decode()))
    assert f"/runs/{run.pk}/retry/" not in page_of(viewer, run).links()


@advancing
def test_each_row_of_the_timeline_is_told_in_words_too(browser: Client, owner: User) -> None:
    run = begun("await ctx.call('note', {v: 1}); await ctx.sleep(5); return 1", owner=owner)
    page = part(browser, run, "timeline", "?zoom=4")
    assert "As a table" in words(page)
    assert {"call-1", "call-2"} <= set(page.ids())
    described = [attributes["aria-describedby"] for _, attributes in page.elements if "aria-describedby" in attributes]
    assert set(described) <= set(page.ids())
    assert len(described) == 3


@advancing
def test_ids_are_given_once_and_nothing_is_inline(browser: Client, owner: User) -> None:
    run = begun("await ctx.call('note', {v: 1}); throw new Error('no')", owner=owner)
    for tab in TABS:
        answer = browser.get(f"/runs/{run.pk}/?tab={tab}")
        page = Page(answer.content.decode())
        assert len(page.ids()) == len(set(page.ids()))
        for tag, attributes in page.elements:
            assert not any(name == "style" or name.startswith("on") for name in attributes), (tag, attributes)
        assert all(attributes.get("src") for tag, attributes in page.elements if tag == "script")
        assert "default-src 'none'" in answer["Content-Security-Policy"]


@pytest.fixture
def hostile(owner: User) -> Run:
    """A run in which everything that a script can name is markup."""
    text = "'</script><img src=x onerror=\"alert(1)\">\\u202e<b>&amp;</b>\\ud800\\0'"
    run = begun(
        f"""
        const x = {text};
        await ctx.plan({{title: x, steps: [x]}});
        await ctx.log('warn', x, {{[x]: x}});
        await ctx.call('note', {{v: x}}, {{description: x}});
        await ctx.delegate({{script: 'export default async () => 1', title: x}});
        ctx.progress({{fraction: 0.5, label: x}});
        await ctx.waitForEvent({{}}, {{label: x}}); // </script><img src=x>
        """,
        owner=owner,
        title="</script><img src=x onerror=alert(1)>\u202e",
    )
    signals.send(run.pk, "<img src=x>", {"<img src=x>": "<img src=x>"}, wait_id="w99")
    Run.objects.filter(pk=run.pk).update(
        error={"code": "<img>", "message": HOSTILE, "excerpt": f"> 1 | {HOSTILE}", "stack": HOSTILE, "detail": HOSTILE,
               "line": 1, "callSeq": 3, "tool": HOSTILE},
        error_code="<img>",
    )  # fmt: skip
    return Run.objects.get(pk=run.pk)


@advancing
def test_script_made_text_is_text_on_the_page_and_in_every_part(browser: Client, hostile: Run) -> None:
    pages = [page_of(browser, hostile, f"?tab={tab}") for tab in TABS]
    for page in pages:
        assert '<img src=x onerror="alert(1)">' in page.text
    pages += [part(browser, hostile, name) for name in PARTS]
    pages.append(Page(browser.get(f"/runs/{hostile.pk}/call/3/").content.decode()))
    assert '<img src=x onerror=\\"alert(1)\\">' in pages[-1].text
    pages.append(Page(browser.get(f"/runs/{hostile.pk}/entries/").content.decode()))
    for page in pages:
        assert not {"img", "b"} & {tag for tag, _ in page.elements}
        assert "\0" not in page.text


@advancing
def test_values_of_ten_megabytes_are_cut_with_their_size(browser: Client, owner: User) -> None:
    run = begun("await ctx.call('note', {v: 'small'}); return 1", owner=owner)
    big = "x" * 10_000_000
    Run.objects.filter(pk=run.pk).update(input={"big": big}, output=[big], error={"code": "x", "message": big})
    entries = RunJournal.objects.filter(run_id=run.pk)
    asked = bodies.call(1, "note", {"v": big}, 2, big[:1_000_000])
    entries.filter(seq=1).update(entry=codec.encode(asked))
    entries.filter(seq=2).update(entry=codec.encode(bodies.result(1, "k", True, big)))
    for tab in TABS:
        answer = browser.get(f"/runs/{run.pk}/?tab={tab}&call=1")
        assert len(answer.content) < 400_000
        assert ("9.5\xa0MB" in answer.content.decode()) == (tab in ("activity", "calls", "values"))


def counted(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@advancing
def test_a_page_and_its_parts_take_as_many_queries_for_a_large_run_as_for_a_small_one(
    browser: Client, owner: User
) -> None:
    few, many = (
        begun(
            f"""
            const child = 'export default async () => 1';
            for (let i = 0; i < {n}; i++) {{ await ctx.call('note', {{v: i}}); await ctx.delegate({{script: child}}) }}
            await Promise.all([...Array({n}).keys()].map((i) => ctx.waitForEvent({{signal: 's' + i}})));
            """,
            owner=owner,
        )
        for n in (2, 9)
    )
    ContentType.objects.get_for_model(Run)  # looked up once in a process
    pages = {f"?tab={tab}": most for tab, most in zip(TABS, (13, 13, 14, 17, 12), strict=True)}
    parts = {f"part/{name}/": 9 for name in PARTS}
    for address, most in (pages | parts | {"entries/": 7, "call/1/": 6}).items():
        first, second = (counted(browser, f"/runs/{run.pk}/{address}") for run in (few, many))
        assert first == second <= most, address


def test_payloads_are_read_only_where_they_are_shown(browser: Client, run: Run) -> None:
    def reads_payloads(tab: str) -> bool:
        with CaptureQueriesContext(connection) as queries:
            browser.get(f"/runs/{run.pk}/?tab={tab}")
        return any('"runs_run"."input"' in query["sql"] for query in queries)

    assert [tab for tab in TABS if reads_payloads(tab)] == ["values"]


@advancing
def test_an_agent_has_no_source_and_says_so(browser: Client, owner: User) -> None:
    run = begun("return 1", owner=owner)
    Run.objects.filter(pk=run.pk).update(source=None, kind="agent", agent="llm")
    assert "It has no source here" in words(part(browser, run, "source"))
