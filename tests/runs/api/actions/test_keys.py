"""Keys as people make them: an idempotency key and a clientRequestId that are empty, blank, long, or full of signs that
mean something in an address."""

from urllib.parse import quote

import pytest
from asking import ECHO, done, refused, told
from django.test import Client

from runs.api.caller import Caller
from runs.models import ApiRequest, Run

pytestmark = pytest.mark.django_db
REFUSED = ["", " ", "\t\n", "\u2003", "a\0b", "x" * 501]
GOOD = ["x" * 300, "a/b?c#d", "🙂", "ключ %2F &=+", "../../admin", "<script>"]


@pytest.mark.parametrize("key", REFUSED)
def test_a_key_that_names_nothing_is_refused(owner: Caller, key: str) -> None:
    error = refused(owner, "StartRun", 422, source=ECHO, key=key)
    assert (error.code, "key" in error.message) == ("invalid-input", True)
    assert not Run.objects.exists()


@pytest.mark.parametrize("key", GOOD)
def test_any_other_key_starts_one_run_and_finds_it_by_links(owner: Caller, key: str) -> None:
    said = done(owner, "StartRun", source=ECHO, key=key, title="Keyed")
    again = done(owner, "StartRun", source=ECHO, key=key)
    run_id = said["run"]["id"]
    assert (again["created"], again["run"]["id"], said["run"]["key"]) == (False, run_id, key)
    assert [run["id"] for run in done(owner, "ListRuns", search=key[:200])["runs"]] == [run_id]
    browser = Client()
    browser.force_login(owner.user)
    page = browser.get(f"/runs/{run_id}/")
    assert (page.status_code, "Keyed" in page.content.decode()) == (200, True)
    listed = browser.get(f"/runs/?q={quote(key[:200], safe='')}").content.decode()
    assert f"/runs/{run_id}/" in listed
    assert "<script>" not in key or key not in listed


@pytest.mark.parametrize("request_id", ["", " ", "\t\n", "\u2003", "a\0b", "x" * 256, "x" * 300, 7, "\ud800"])
def test_a_request_id_that_names_nothing_is_refused(owner: Caller, request_id: object) -> None:
    error = refused(owner, "StartRun", 422, source=ECHO, clientRequestId=request_id)
    assert "clientRequestId" in error.message
    assert not Run.objects.exists()


@pytest.mark.parametrize("request_id", ["x" * 255, "a/b?c#d", "🙂", "<script>", " a"])
def test_any_other_request_id_makes_one_change(owner: Caller, request_id: str) -> None:
    first = told(owner, "StartRun", source=ECHO, clientRequestId=request_id)
    assert told(owner, "StartRun", source=ECHO, clientRequestId=request_id) == first
    other = refused(owner, "StartRun", 409, source=ECHO, title="other", clientRequestId=request_id)
    assert other.code == "request-id-reused"
    assert (Run.objects.count(), ApiRequest.objects.get().client_request_id) == (1, request_id)


def test_a_request_id_is_of_changes_alone(owner: Caller) -> None:
    assert "clientRequestId" in refused(owner, "ListRuns", 422, clientRequestId="a").message
