"""A run as one JSON document."""

import json
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient, Client, RequestFactory
from going import begun, define_tools

from journal import store
from runs.models import Run
from runs.pages import export
from runs.portable import readable
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)
BODY = "for (let i = 0; i < 5; i++) await ctx.call('note', {v: '\\ud800</script>' + i}); return 1"


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


def test_a_run_is_exported_with_its_script_and_its_journal(
    browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable, "_BATCH", 3)
    run = begun(BODY, title="Out", owner=owner)
    answer = browser.get(f"/runs/{run.pk}/export.json")
    assert answer.streaming
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run.pk}.json"'
    told = json.loads(answer.getvalue())
    assert (told["format"], told["run"]["id"], told["run"]["owner"]) == ("daybook.run/1", run.pk, "ada")
    assert told["run"]["output"] == 1
    assert run.source is not None
    assert told["source"] == run.source.text
    assert told["entries"] == [entry.as_dict() for entry in store.read(run.journal_id)]
    assert len(told["entries"]) == 10
    assert told["entries"][0]["input"] == {"v": "\ud800</script>0"}


def test_the_scripts_of_children_are_exported_once_each(browser: Client, owner: User) -> None:
    one, two = ("export default async () => 1", "export default async () => 2")
    body = "".join(f"await ctx.delegate({{script: {json.dumps(text)}}});" for text in (one, two, one))
    told = json.loads(browser.get(f"/runs/{begun(body, owner=owner).pk}/export.json").getvalue())
    asked = [entry["scriptSha256"] for entry in told["entries"] if entry["kind"] == "call"]
    assert [told["scripts"][key] for key in asked] == [one, two, one]
    assert len(told["scripts"]) == 2


def test_who_asks_for_the_head_alone_is_sent_no_body(owner: User, rf: RequestFactory) -> None:
    run = begun("return 1", owner=owner)
    request = rf.head(f"/runs/{run.pk}/export.json")
    request.user = owner
    answer = export.run_export(request, run.pk)
    assert answer["Content-Type"] == "application/json"
    assert b"".join(answer) == b""


def test_an_export_streams_to_an_asynchronous_server_too(owner: User) -> None:
    from asgiref.sync import async_to_sync

    run = begun(BODY, owner=owner)
    browser = AsyncClient()
    browser.force_login(owner)

    async def read() -> bytes:
        answer = await browser.get(f"/runs/{run.pk}/export.json")
        return b"".join([piece async for piece in answer])

    assert len(json.loads(async_to_sync(read)())["entries"]) == 10


def test_a_run_without_entries_is_a_document_too(browser: Client, run: Run) -> None:
    told = json.loads(browser.get(f"/runs/{run.pk}/export.json").getvalue())
    assert told["entries"] == []


def test_the_run_of_somebody_else_is_not_exported(person: Callable[..., User], owner: User) -> None:
    run = begun("return 1", owner=owner)
    browser = Client()
    browser.force_login(person("bob"))
    assert browser.get(f"/runs/{run.pk}/export.json").status_code == 404
