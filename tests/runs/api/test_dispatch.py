"""Role, fields and refusals of an action; and that a change with an id is made once."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from runs.access import Forbidden
from runs.api import dispatch
from runs.api.actions import ACTIONS
from runs.api.caller import Caller
from runs.api.dispatch import answer, perform
from runs.api.errors import ApiError
from runs.api.roles import Role, allows
from runs.errors import BadInput, UnknownRun
from runs.models import ApiRequest, Script

pytestmark = pytest.mark.django_db(transaction=True)


def refused(caller: Caller, name: str, fields: dict[str, Any]) -> ApiError:
    with pytest.raises(ApiError) as info:
        perform(caller, name, fields)
    return info.value


def test_an_owner_is_more_than_an_operator_is_more_than_a_reader() -> None:
    assert [[allows(has, needs) for needs in Role] for has in Role] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_an_action_is_done_and_answered(owner: Caller) -> None:
    assert answer(owner, "Note", {"name": "one"}) == (201, {"name": "one", "created": True, "by": "ada"})
    assert answer(owner, "Look", {"name": ""}) == (200, {"names": ["one"], "echo": None})
    assert not ApiRequest.objects.exists()


def test_a_lesser_role_is_refused_and_logged(owner: Caller, caplog: pytest.LogCaptureFixture) -> None:
    error = refused(dataclasses.replace(owner, role=Role.OPERATOR), "Note", {"name": "one"})
    assert (error.code, error.status) == ("role", 403)
    assert not Script.objects.exists()
    assert f"refused user={owner.user.pk} verb=Note run=-" in caplog.text


@pytest.mark.parametrize(
    ("sent", "logged"), [("01kg8q3v5n7w9y2c4e6g8j0m1p",) * 2, ("x\nrefused user=1", "-"), (["a"], "-"), (None, "-")]
)
def test_the_log_names_no_run_but_an_id(
    owner: Caller, caplog: pytest.LogCaptureFixture, sent: Any, logged: str
) -> None:
    refused(dataclasses.replace(owner, role=Role.OPERATOR), "Note", {"runId": sent})
    (record,) = caplog.records
    assert record.getMessage() == f"refused user={owner.user.pk} verb=Note run={logged}"


def test_fields_are_checked_and_each_is_named(owner: Caller) -> None:
    error = refused(owner, "Note", {"name": 1, "more": 2})
    assert (error.code, error.status) == ("invalid-input", 422)
    assert {each["field"] for each in error.details} == {"name", "more"}
    assert refused(owner, "Look", {"name": "", "clientRequestId": "x"}).status == 422
    assert refused(owner, "Nothing", {}).status == 404
    assert refused(owner, "Subscribe", {}).status == 400


@pytest.mark.parametrize(
    ("raised", "code", "status"),
    [
        (UnknownRun("x"), "unknown-run", 404),
        (BadInput("no"), "invalid-input", 422),
        (Forbidden("You may not."), "forbidden", 403),
    ],
)
def test_refusals_of_the_product_are_answers(
    owner: Caller, monkeypatch: pytest.MonkeyPatch, raised: Exception, code: str, status: int
) -> None:
    def do(*_: Any) -> dict[str, Any]:
        raise raised

    monkeypatch.setitem(ACTIONS, "Look", dataclasses.replace(ACTIONS["Look"], do=do))
    error = refused(owner, "Look", {"name": ""})
    assert (error.code, error.status, error.message) == (code, status, str(raised))


def test_the_same_id_with_the_same_fields_gets_the_same_answer_and_changes_nothing(owner: Caller) -> None:
    fields = {"name": "one", "value": {"b": [1, 2.5], "a": "\ud800"}, "clientRequestId": "monday"}
    first = answer(owner, "Note", fields)
    turned = {"clientRequestId": "monday", "value": {"a": "\ud800", "b": [1, 2.5]}, "name": "one"}
    assert answer(owner, "Note", turned) == first == (201, {"name": "one", "created": True, "by": "ada"})
    assert Script.objects.count() == ApiRequest.objects.count() == 1


def test_an_answer_without_a_change_is_kept_too(owner: Caller) -> None:
    Script.objects.create(name="one")
    fields = {"name": "one", "again": True, "clientRequestId": "monday"}
    assert answer(owner, "Note", fields) == (200, {"name": "one", "created": False})
    Script.objects.all().delete()
    assert answer(owner, "Note", fields) == (200, {"name": "one", "created": False})
    assert not Script.objects.exists()


@pytest.mark.parametrize("other", [{"name": "two"}, {"name": "one", "value": 1}, {"name": "one", "value": True}])
def test_the_same_id_with_other_fields_is_refused(owner: Caller, other: dict[str, Any]) -> None:
    first = {"name": "one", "value": 1.0, "clientRequestId": "monday"}
    perform(owner, "Note", first)
    error = refused(owner, "Note", {**other, "clientRequestId": "monday"})
    assert (error.code, error.status) == ("request-id-reused", 409)
    assert Script.objects.count() == 1


def test_an_id_is_of_its_user(owner: Caller, person: Callable[..., User]) -> None:
    perform(owner, "Note", {"name": "one", "clientRequestId": "monday"})
    other = dataclasses.replace(owner, user=person("vera"))
    assert perform(other, "Note", {"name": "two", "clientRequestId": "monday"})["by"] == "vera"


def test_refusals_are_not_kept(owner: Caller) -> None:
    there = Script.objects.create(name="one")
    assert refused(owner, "Note", {"name": "one", "clientRequestId": "monday"}).status == 409
    there.delete()
    assert perform(owner, "Note", {"name": "one", "clientRequestId": "monday"})["created"]


@pytest.mark.parametrize("wrong", ["", "x" * 256, 7, "\0", "\ud800", [], {}])
def test_what_cannot_be_an_id_is_refused(owner: Caller, wrong: Any) -> None:
    assert refused(owner, "Note", {"name": "one", "clientRequestId": wrong}).status == 422
    assert not Script.objects.exists()


def test_who_comes_second_gets_the_answer_of_the_first(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one commits between the look for a kept answer and the change."""
    fields = {"name": "one", "clientRequestId": "monday"}
    looked: list[Any] = []
    found = dispatch.Keeper.found

    def late(keeper: dispatch.Keeper) -> Any:
        looked.append(found(keeper))
        if len(looked) == 1:
            perform(owner, "Note", fields)
            if removes:
                Script.objects.all().delete()
            return None
        return looked[-1]

    for removes in (False, True):  # the change is refused; the change goes through, and its answer does not
        looked.clear()
        ApiRequest.objects.all().delete()
        Script.objects.all().delete()
        monkeypatch.setattr(dispatch.Keeper, "found", late)
        assert perform(owner, "Note", fields) == {"name": "one", "created": True, "by": "ada"}
        assert Script.objects.exists() is not removes, "what came second was rolled back"
        assert ApiRequest.objects.count() == 1
