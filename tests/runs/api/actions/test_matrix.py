"""Who may ask for what: every action, with a key of every role, of every kind of person; what is refused is in the log
and has changed nothing."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from asking import ECHO, had_failed, told

from journal.models import RunJournal
from runs import audit
from runs.api.actions import ACTIONS
from runs.api.caller import Caller
from runs.api.dispatch import answer
from runs.api.errors import ApiError
from runs.api.roles import Role, allows
from runs.models import Message, Run
from runs.starting import start

pytestmark = pytest.mark.django_db  # no run is executed here
NAMES = list(ACTIONS)
ON_RUNS = {"view", "signal", "cancel", "retry", "fork"}

# Person -> permissions; what the person may do to the run. "owner" owns it.
PEOPLE: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "owner": ((), ON_RUNS),
    "owner who may start": (("start",), ON_RUNS | {"start"}),
    "nobody": ((), set()),
    "starter": (("start",), {"start"}),
    "stranger with verbs": (("signal", "cancel", "retry", "fork"), set()),  # who does not see the run
    "viewer": (("view",), {"view"}),
    "signaler": (("view", "signal"), {"view", "signal"}),
    "canceler": (("view", "cancel"), {"view", "cancel"}),
    "retrier": (("view", "retry"), {"view", "retry"}),
    "forker": (("view", "fork"), {"view", "fork"}),
    "all": (("view", "signal", "cancel", "retry", "fork", "start"), ON_RUNS | {"start"}),
}
# Action, and with what -> the role and the permissions that it takes; None: everybody may.
ASKED: dict[str, tuple[str, dict[str, Any], Role, set[str]]] = {
    "StartRun": ("StartRun", {"source": ECHO}, Role.OWNER, {"start"}),
    "GetRun": ("GetRun", {"runId": ...}, Role.READER, {"view"}),
    "ListRuns": ("ListRuns", {}, Role.READER, set()),
    "GetRunJournal": ("GetRunJournal", {"runId": ...}, Role.READER, {"view"}),
    "SignalRun": ("SignalRun", {"runId": ..., "name": "go"}, Role.OPERATOR, {"view", "signal"}),
    "CancelRun": ("CancelRun", {"runId": ...}, Role.OPERATOR, {"view", "cancel"}),
    "RetryRun": ("RetryRun", {"runId": ...}, Role.OPERATOR, {"view", "retry"}),
    "rewind": ("RetryRun", {"runId": ..., "rewindTo": 1}, Role.OPERATOR, {"view", "retry"}),
    "edited": ("RetryRun", {"runId": ..., "source": ECHO}, Role.OWNER, {"view", "retry", "start"}),
    "ForkRun": ("ForkRun", {"runId": ..., "call": 1}, Role.OPERATOR, {"view", "fork"}),
    "edited fork": ("ForkRun", {"runId": ..., "call": 1, "source": ECHO}, Role.OWNER, {"view", "fork", "start"}),
    "LintScript": ("LintScript", {"source": ECHO}, Role.READER, set()),
    "DryReplay": ("DryReplay", {"runId": ..., "verb": "retry"}, Role.OPERATOR, {"view", "retry"}),
    "dry fork": ("DryReplay", {"runId": ..., "verb": "fork", "call": 1}, Role.OPERATOR, {"view", "fork"}),
    "ListTools": ("ListTools", {}, Role.READER, set()),
}


def everything() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Run, RunJournal, Message)]


def run_for(name: str, caller: Caller) -> Run:
    """One of the caller's to which that can be done."""
    if name in ("SignalRun", "CancelRun"):
        return start(ECHO, owner=caller.user).run
    return had_failed(caller)


def test_every_action_is_in_the_matrix() -> None:
    assert sorted({name for name, _, _, _ in ASKED.values()}) == sorted(NAMES)


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("asked", ASKED)
def test_a_person_may_what_role_and_permissions_allow(
    caller: Callable[..., Caller], caplog: pytest.LogCaptureFixture, asked: str, who: str
) -> None:
    name, fields, needs, verbs = ASKED[asked]
    permissions, may = PEOPLE[who]
    user = caller("pat", *permissions).user
    whose = Caller(user, Role.OWNER, "", 1) if who.startswith("owner") else caller("ada")
    for role in Role:
        run = run_for(name, whose)
        given = {field: run.pk if value is ... else value for field, value in fields.items()}
        by, before = Caller(user, role, f"token {role}", 1), everything()
        caplog.clear()
        with caplog.at_level(logging.WARNING, "runs.access"):
            if allows(role, needs) and verbs <= may:
                told(by, name, **given)
                deeds = audit.deeds(run)
                assert not ACTIONS[name].changes or name == "StartRun" or deeds[0].facts["via"] == by.via
                continue
            with pytest.raises(ApiError) as info:
                answer(by, name, given)
        unseen = "runId" in given and "view" not in may and allows(role, ACTIONS[name].role)
        assert (info.value.status, info.value.code) == ((404, "unknown-run") if unseen else (403, info.value.code))
        assert [record.name for record in caplog.records if record.name == "runs.access"] == ["runs.access"]
        assert everything() == before
        assert audit.deeds(run) == []


@pytest.mark.parametrize(("name", "verb"), [("SignalRun", "signal"), ("CancelRun", "cancel"), ("RetryRun", "retry")])
def test_a_viewer_without_rights_is_refused_and_logged(
    owner: Caller, caller: Callable[..., Caller], caplog: pytest.LogCaptureFixture, name: str, verb: str
) -> None:
    run = run_for(name, owner)
    viewer, before = caller("vic", "view"), everything()
    with caplog.at_level(logging.WARNING, "runs.access"), pytest.raises(ApiError) as info:
        answer(viewer, name, {"runId": run.pk} | ({"name": "go"} if name == "SignalRun" else {}))
    assert (info.value.status, info.value.code) == (403, "forbidden")
    assert f"runs.{verb}_run" in info.value.message
    assert f"refused user={viewer.user.pk} verb={verb} run={run.pk}" in caplog.messages
    assert everything() == before
    assert audit.deeds(run) == []
