"""What is done to many runs: said before, done in batches that go on where they were, once, and written down."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from filling import fields_of, text_of
from going import begun, executed, go_on

from runs import audit
from runs.admin.runs.bulk import applying, exporting
from runs.ids import first_id, new_id
from runs.lifecycle import Move, move
from runs.models import Message, Run
from runs.starting import start

pytestmark = pytest.mark.django_db
advancing = pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own
SOURCE = "export default async function (input, ctx) { return input }"
LIST = "/admin/runs/run/"


@pytest.fixture
def deleter(staff: Callable[..., User]) -> Client:
    client = Client()
    client.force_login(staff("dora", "view", "delete"))
    return client


def made(title: str, owner: User | None = None) -> Run:
    return start(SOURCE, title=title, owner=owner).run


def ended(run: Run) -> Run:
    error = {"code": "tool-error", "message": "no"}
    assert move(Run.objects.filter(pk=run.pk), Move.FAIL, error=error, error_code="tool-error")
    return run


def chosen(client: Client, verb: str, runs: list[Run], query: str = "", everything: bool = False) -> str:
    """The address that the action of the list leads to."""
    sent = {"action": verb, "index": "0", "select_across": "1" if everything else "0"}
    answer = client.post(LIST + query, sent | {"_selected_action": [run.pk for run in runs]})
    assert answer.status_code == 302, answer.content.decode()
    assert answer["Location"].startswith(f"{LIST}bulk/{verb}/?")
    return str(answer["Location"])


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def sent(client: Client, address: str, **fields: str) -> Any:
    """The form of the page, sent from where it leads to."""
    html = page(client, address)
    return client.post(action_of(html), fields_of(html) | fields)


def action_of(html: str) -> str:
    return re.findall(r'method="post" action="([^"]*)"', html)[-1].replace("&amp;", "&")


def statuses() -> dict[str, str]:
    return dict(Run.objects.values_list("title", "status"))


def said(client: Client) -> str:
    return text_of(client.get(LIST).content.decode())


def test_the_page_says_what_will_and_will_not_be_touched_and_does_nothing(admin: Client) -> None:
    runs = [made("One"), made("Two"), ended(made("Over"))]
    told = text_of(page(admin, chosen(admin, "cancel", runs)))
    assert "2 runs will be touched." in told
    assert "Not touched: 1 has ended (failed)." in told
    assert statuses() == {"One": "queued", "Two": "queued", "Over": "failed"}


def test_a_cancel_touches_the_chosen_ones_and_is_written_down(admin: Client) -> None:
    runs = [made("One"), made("Two"), ended(made("Over"))]
    made("Other")
    answer = sent(admin, chosen(admin, "cancel", runs), reason="a mistake")
    assert answer["Location"] == LIST
    assert statuses() == {"One": "canceled", "Two": "canceled", "Over": "failed", "Other": "queued"}
    told = said(admin)
    assert "2 runs canceled, or told to stop." in told
    assert "1 run not touched: 1 has ended (failed)." in told
    [deed] = audit.deeds(runs[0])
    assert (deed.who, deed.verb, deed.reason) == ("vera", "cancel", "a mistake")
    assert deed.facts["bulk"]
    assert audit.deeds(runs[2]) == []


def test_it_leads_back_to_the_list_as_it_was_left(admin: Client) -> None:
    address = chosen(admin, "cancel", [made("One")], "?status=queued&q=One")
    assert f'href="{LIST}?status=queued&amp;q=One"' in page(admin, address)
    assert sent(admin, address)["Location"] == f"{LIST}?status=queued&q=One"


def test_everything_that_matches_is_gone_through_in_batches(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "BATCH", 3)
    runs = [made(f"n{number}") for number in range(7)]
    over = ended(made("Over"))
    address = chosen(admin, "cancel", runs[:1], "?status=queued", everything=True)
    late = made("Late")
    answer = sent(admin, address, reason="all of them")
    for done in (3, 6):
        html = answer.content.decode()
        assert f"{done} runs canceled, or told to stop so far" in text_of(html)
        assert Run.objects.filter(status="canceled").count() == done
        answer = admin.post(action_of(html), fields_of(html))
    assert answer.status_code == 302
    assert "7 runs canceled" in said(admin)
    assert {run.title for run in Run.objects.filter(status="canceled")} == {run.title for run in runs}
    assert Run.objects.get(pk=late.pk).status == "queued", "it came after the selection"
    assert audit.deeds(over) == []
    assert {audit.deeds(run)[0].reason for run in runs} == {"all of them"}
    assert len({audit.deeds(run)[0].facts["bulk"] for run in runs}) == 1


def test_the_last_hour_stays_the_same_hour_however_long_it_takes(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(minutes: int) -> datetime:
        return timezone.now() - timedelta(minutes=minutes)

    for minutes in (80, 120):
        made_then = new_id(int(at(minutes).timestamp() * 1000))
        monkeypatch.setattr("runs.making.new_id", lambda made_then=made_then: made_then)
        made(f"{minutes} minutes old")
    answer = sent(admin, f"{LIST}bulk/cancel/?created=1h&upto={first_id(at(50))}")
    assert answer.status_code == 302
    assert statuses() == {"80 minutes old": "canceled", "120 minutes old": "queued"}


def test_a_batch_ends_when_its_time_is_over_and_goes_on_behind_its_last_run(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "SECONDS", -1.0)
    runs = [made(f"n{number}") for number in range(3)]
    answer = sent(admin, chosen(admin, "cancel", runs))
    for done in (1, 2):
        assert Run.objects.filter(status="canceled").count() == done
        html = answer.content.decode()
        answer = admin.post(action_of(html), fields_of(html))
    assert answer.status_code == 302
    assert Run.objects.filter(status="canceled").count() == 3


@advancing
def test_a_retry_that_is_sent_again_retries_nothing_again(admin: Client) -> None:
    run = begun("return ctx.call('once', {v: 'x'}).then(() => { throw new Error('later') })")
    address = chosen(admin, "retry", [run])
    html = page(admin, address)
    for _ in range(2):
        assert admin.post(action_of(html), fields_of(html)).status_code == 302
        run = go_on(run)
    assert run.status == "failed"
    assert run.attempt == 2
    assert executed == ["x", "x"]
    assert [deed.facts["attempt"] for deed in audit.deeds(run)] == [2]


@advancing
def test_a_retry_touches_failed_runs_alone(admin: Client) -> None:
    failed, fine = begun("return ctx.call('once', {v: 'x'})"), begun("return 1")
    told = text_of(page(admin, chosen(admin, "retry", [failed, fine])))
    assert "1 run will be touched" in told
    assert "1 has not failed (succeeded)" in told
    sent(admin, chosen(admin, "retry", [failed, fine]))
    assert go_on(failed).status == "succeeded"
    assert Run.objects.get(pk=fine.pk).attempt == 1


@advancing
def test_a_signal_with_its_payload_reaches_each_once(admin: Client, operator: User) -> None:
    runs = [begun("return ctx.waitForEvent({signal: 'go'})", title=f"n{n}") for n in range(2)]
    html = page(admin, chosen(admin, "signal", runs))
    form = fields_of(html) | {"name": "go", "payload": '{"a": 1}', "reason": "at last"}
    for _ in range(2):
        assert admin.post(action_of(html), form).status_code == 302
    assert [(m.name, m.payload, m.sender) for m in Message.objects.all()] == [("go", {"a": 1}, operator)] * 2
    assert [audit.deeds(run)[0].reason for run in runs] == ["at last"] * 2
    assert {go_on(run).status for run in runs} == {"succeeded"}


def test_a_signal_without_a_name_or_with_bad_json_sends_nothing_and_loses_nothing(admin: Client) -> None:
    address = chosen(admin, "signal", [made("One")])
    answer = sent(admin, address, name="", payload="{", reason="why")
    assert answer.status_code == 422
    told = text_of(answer.content.decode())
    assert "Nothing was done." in told
    assert "Give the signal a name" in told
    assert "Not JSON" in told
    assert fields_of(answer.content.decode())["reason"] == "why"
    assert not Message.objects.exists()


def test_a_form_without_its_token_does_nothing(admin: Client) -> None:
    run = made("One")
    address = chosen(admin, "cancel", [run])
    assert admin.post(address, {"reason": ""}).status_code == 422
    assert statuses() == {"One": "queued"}


@advancing
def test_an_export_is_a_run_a_line_and_goes_on_in_another_file(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST", 2)
    runs = [begun("return ctx.call('note', {v: 'line\\nend'})", title=f"n{n}") for n in range(3)]
    address = chosen(admin, "export", runs)
    html = page(admin, address)
    answer = admin.post(action_of(html), fields_of(html) | {"reason": "for the auditors"})
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[arg-type]
    newest = sorted(runs, key=lambda run: run.pk, reverse=True)
    assert [json.loads(line)["run"]["id"] for line in lines] == [run.pk for run in newest[:2]]
    assert json.loads(lines[0])["entries"]
    [older] = re.findall(r'href="([^"]*)">To the next file', html)
    html = page(admin, older.replace("&amp;", "&"))
    lines = list(admin.post(action_of(html), fields_of(html)).streaming_content)  # type: ignore[arg-type]
    assert [json.loads(line)["run"]["id"] for line in lines] == [newest[2].pk]
    assert [(deed.verb, deed.reason) for deed in audit.deeds(newest[0])] == [("export", "for the auditors")]


@pytest.mark.parametrize("verb", ["cancel", "signal", "retry"])
def test_staff_touch_their_own_runs_and_those_they_have_the_right_for(
    verb: str, staff: Callable[..., User], run: Run
) -> None:
    bob = staff("bob", "view")
    mine, own = made("Of nobody"), made("Own", bob)
    if verb == "retry":
        for each in (run, mine, own):
            ended(each)
    client = Client()
    client.force_login(bob)
    address = chosen(client, verb, [run, mine, own])
    told = text_of(page(client, address))
    assert "1 run will be touched" in told
    assert f"2 you may not {verb} it" in told
    sent(client, address, name="go")
    assert [bool(audit.deeds(each)) for each in (run, mine, own)] == [False, False, True]
    client.force_login(staff("eve"))
    assert "There is nothing to do" in text_of(page(client, address)), "what one does not see is not even told"


def test_deleting_takes_ended_trees_whole_and_leaves_the_others_with_the_reason(deleter: Client) -> None:
    run, live, lone = ended(made("Over")), made("Live"), ended(made("Alone"))
    below, alive = made("Below"), made("Alive")
    Run.objects.filter(pk__in=[below.pk, alive.pk]).update(depth=1)
    Run.objects.filter(pk=below.pk).update(root=run, parent=run)
    Run.objects.filter(pk=alive.pk).update(root=lone, parent=lone)
    ended(below)
    made("Fork")
    Run.objects.filter(title="Fork").update(forked_from=run)
    address = chosen(deleter, "delete", [run, live, lone, below])
    told = text_of(page(deleter, address))
    assert "1 run will be touched. Each goes with its whole tree" in told
    assert "It stands in the log, beside your name" in told
    for why in ("1 has not ended (queued)", "that have not ended", "1 is part of a tree, and goes only with its root"):
        assert why in told
    assert Run.objects.count() == 6
    sent(deleter, address, reason="no longer needed")
    assert set(statuses()) == {"Live", "Alone", "Alive", "Fork"}
    assert Run.objects.get(title="Fork").forked_from_id is None
    told = said(deleter)
    assert "1 run deleted." in told
    assert "3 runs not touched" in told
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.is_deletion(), entry.user.get_username()) == (run.pk, True, "dora")
    [deed] = audit.deeds(run)
    assert (deed.verb, deed.reason, deed.facts["deleted"]) == ("delete", "no longer needed", 2)


def test_a_deletion_goes_through_all_that_match_in_batches(deleter: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "BATCH", 3)
    runs = [ended(made(f"n{number}")) for number in range(7)]
    answer = sent(deleter, chosen(deleter, "delete", runs[:1], "?status=failed", everything=True))
    for left in (4, 1):
        assert Run.objects.count() == left
        html = answer.content.decode()
        answer = deleter.post(action_of(html), fields_of(html))
    assert (answer.status_code, Run.objects.count(), LogEntry.objects.count()) == (302, 0, 7)
    assert "7 runs deleted." in said(deleter)


def test_a_run_that_is_revived_before_its_turn_stays(deleter: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ended(made("Over"))
    html = page(deleter, chosen(deleter, "delete", [run]))
    real = applying.why_not

    def and_then_revived(*given: Any) -> dict[str, str]:
        told = real(*given)
        assert move(Run.objects.filter(pk=run.pk), Move.REVIVE)
        return told

    monkeypatch.setattr(applying, "why_not", and_then_revived)
    deleter.post(action_of(html), fields_of(html))
    assert statuses() == {"Over": "queued"}
    assert "moved on meanwhile" in said(deleter)
    assert not LogEntry.objects.exists()


def test_owning_a_run_is_not_enough_to_delete_it(staff: Callable[..., User]) -> None:
    ada = staff("ada", "view", "start", "signal", "cancel", "retry", "fork")
    run = ended(made("Own", ada))
    client = Client()
    client.force_login(ada)
    address = chosen(client, "delete", [run])
    assert "1 you may not delete it" in text_of(page(client, address))
    assert client.post(address, {"once": "a1"}).status_code == 302
    assert statuses() == {"Own": "failed"}
    assert client.get(f"{LIST}{run.pk}/delete/").status_code == 403


@pytest.mark.parametrize("query", ["", "?status=failed"])
def test_nothing_selected_is_said(admin: Client, query: str) -> None:
    ended(made("One"))
    answer = admin.post(LIST + query, {"action": "cancel", "index": "0", "select_across": "0"}, follow=True)
    assert "Items must be selected" in text_of(answer.content.decode())


@pytest.mark.parametrize(
    "path",
    [
        "bulk/nonsense/",
        "bulk/cancel/?status=nonsense",
        "bulk/cancel/?ids=x",
        "bulk/cancel/?upto=" + "z" * 26,
    ],
)
def test_what_there_is_not_is_not_found(admin: Client, path: str) -> None:
    assert admin.get(LIST + path).status_code == 404
