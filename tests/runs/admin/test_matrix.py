"""Who gets which page of the admin, and who may do what there: every kind of person, every view, every action."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from filling import fields_of
from going import begun

from runs import audit
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start

SOURCE = "export default async function (input, ctx) { return input }"
VIEWS = ["change/", "call/1/", "history/"]
VERBS = ["cancel", "retry", "signal", "export", "delete"]
SIGN_IN = "/admin/login/"

# Person -> permissions beside being staff; "owner" owns the run. Then: sees the run, and which verbs touch it in bulk.
PEOPLE: dict[str, tuple[tuple[str, ...], bool, set[str]]] = {
    "owner": ((), True, set(VERBS) - {"delete"}),
    "stranger": ((), False, set()),
    "stranger with verbs": (("cancel", "retry", "signal"), False, set()),
    "viewer": (("view",), True, {"export"}),
    "canceler": (("view", "cancel"), True, {"export", "cancel"}),
    "retrier": (("view", "retry"), True, {"export", "retry"}),
    "signaler": (("view", "signal"), True, {"export", "signal"}),
    "deleter": (("view", "delete"), True, {"export", "delete"}),
}


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own
@pytest.mark.parametrize("name", PEOPLE)
def test_who_sees_a_run_sees_all_of_its_pages_and_nobody_else_any(name: str, staff: Callable[..., User]) -> None:
    permissions, sees, _ = PEOPLE[name]
    user = staff("pat", *permissions)
    run = begun("await ctx.call('note', {v: 1})", title="Greeting", owner=user if name == "owner" else staff("ada"))
    client = client_of(user)
    for view in VIEWS:
        answer = client.get(f"/admin/runs/run/{run.pk}/{view}")
        assert (answer.status_code == 200) == sees, (view, answer.status_code)
        assert answer.status_code == 200 or b"Greeting" not in answer.content
    html = client.get("/admin/runs/run/").content.decode()
    assert ("Greeting" in html) == sees
    found = client.get(f"/admin/runs/run/?q={run.pk}").content.decode()
    assert ("Greeting" in found) == sees


@pytest.mark.django_db
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", PEOPLE)
def test_a_bulk_action_touches_what_its_person_may_touch(name: str, verb: str, staff: Callable[..., User]) -> None:
    permissions, _, verbs = PEOPLE[name]
    user = staff("pat", *permissions)
    run = start(SOURCE, title="Greeting", owner=user if name == "owner" else staff("ada")).run
    if verb in ("retry", "delete"):
        error = {"code": "tool-error", "message": "no"}
        assert move(Run.objects.filter(pk=run.pk), Move.FAIL, error=error, error_code="tool-error")
    before = Run.objects.values("status", "attempt").get(pk=run.pk)
    client = client_of(user)
    address = f"/admin/runs/run/bulk/{verb}/?ids={run.pk}"
    # Not from the page, which may offer nothing: what is sent is judged by itself.
    answer = client.post(address, fields_of(client.get(address).content.decode()) | {"name": "go", "once": "a1"})
    if verb == "export":
        assert (run.pk.encode() in b"".join(answer.streaming_content)) == ("export" in verbs)  # type: ignore[arg-type]
    assert [deed.verb for deed in audit.deeds(run)] == ([verb] if verb in verbs else [])
    if verb in ("cancel", "retry"):
        assert (Run.objects.values("status", "attempt").get(pk=run.pk) != before) == (verb in verbs)
    assert Run.objects.filter(pk=run.pk).exists() != (verb == "delete" and verb in verbs)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["", "{run}/change/", "{run}/call/1/", "{run}/history/", "bulk/cancel/?ids={run}"])
def test_nobody_but_staff_gets_in(path: str, run: Run) -> None:
    address = f"/admin/runs/run/{path.format(run=run.pk)}"
    inactive = User.objects.create_user("gone", is_staff=True, is_active=False)
    guest = User.objects.create_user("guest")
    for client in (Client(), client_of(guest), client_of(inactive)):
        for answer in (client.get(address), client.post(address, {"once": "a1", "action": "cancel"})):
            assert answer.status_code == 302
            assert answer["Location"].startswith(SIGN_IN)
    assert Run.objects.get(pk=run.pk).status == "queued"


@pytest.mark.django_db
def test_forms_without_their_token_are_refused(operator: User, run: Run) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    assert client.post(f"/admin/runs/run/bulk/cancel/?ids={run.pk}", {"once": "a1"}).status_code == 403
    assert Run.objects.get(pk=run.pk).status == "queued"
