"""SignalRun and CancelRun: what a run is told."""

from typing import Annotated, Any

from pydantic import Field

from runs import cancelling, signals
from runs.access import Verb
from runs.api.actions.action import Action, Also, Answer, Params, Result
from runs.api.actions.fields import OneOf, Reason, RunId, SignalId, SignalName, WaitId
from runs.api.actions.looking import EXAMPLE_ID
from runs.api.actions.lookup import run_for
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.audit import record, record_signal
from runs.errors import NotPossible
from runs.models import Run
from runs.signals import Sent


class SignalRunParams(Params):
    model_config = {
        "json_schema_extra": {
            "examples": [{"runId": EXAMPLE_ID, "name": "approved", "payload": {"by": "finance"}, "id": "approval-17"}]
        }
    }

    run_id: RunId
    name: SignalName
    payload: Annotated[Any, Field(description="What the script gets: any JSON value.")] = None
    id: Annotated[
        SignalId | None, Field(description="The same id again, for this run or its successors, changes nothing.")
    ] = None
    wait_id: Annotated[WaitId | None, Field(description="Only for this open wait.")] = None
    reason: Reason = ""


class SignalRunResult(Result):
    outcome: Annotated[
        Annotated[str, OneOf(("delivered", "kept", "repeated"))],
        Field(
            description="delivered: an open wait takes it. kept: the next wait that takes it is answered with it."
            " repeated: this id was sent before, and nothing was written."
        ),
    ]
    reason: str
    run_id: Annotated[str, Field(description="The run that got it: the newest successor of the one that was named.")]
    wait_id: str | None


def signal_run(caller: Caller, params: SignalRunParams, also: Also) -> Answer:
    run = run_for(caller, params.run_id, Verb.SIGNAL)

    def then(sent: Sent) -> None:
        record_signal(caller.user, sent, params.name, params.reason, via=caller.via)
        also(sent.as_dict())

    sent = signals.send(
        run.pk,
        params.name,
        params.payload,
        id=params.id,
        wait_id=params.wait_id,
        sender=caller.user,
        also=then,
    )
    if sent.outcome == "refused":
        raise NotPossible(sent.reason)
    return sent.as_dict()


class CancelRunParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID, "reason": "ordered twice"}]}}

    run_id: RunId
    reason: Annotated[Reason, Field(description="Why; it stands in the errors of the runs.")] = ""


class CancelRunResult(Result):
    run_id: Annotated[str, Field(description="The run that was canceled: the newest successor of the one named.")]
    run_ids: Annotated[
        list[str],
        Field(
            description="It and all below it that had not ended, parents first. What no worker holds has ended with"
            " this answer; a worker that holds one is told to end it."
        ),
    ]


def cancel_run(caller: Caller, params: CancelRunParams, also: Also) -> Answer:
    run = run_for(caller, params.run_id, Verb.CANCEL)
    ids = list(cancelling.affected(run.pk).values_list("pk", flat=True))
    answers: list[Answer] = []

    def then(top: Run) -> None:
        record(caller.user, top, "cancel", params.reason, stopped=len(ids), via=caller.via)
        answers.append({"runId": top.pk, "runIds": ids})
        also(answers[0])

    cancelling.cancel(run.pk, params.reason, also=then)
    return answers[0]


SIGNAL_RUN = Action(
    "SignalRun", Role.OPERATOR, True, SignalRunParams, SignalRunResult, "Sends a signal to a run.", signal_run
)
CANCEL_RUN = Action(
    "CancelRun",
    Role.OPERATOR,
    True,
    CancelRunParams,
    CancelRunResult,
    "Cancels a run and all below it.",
    cancel_run,
)
