"""Signals: what people and systems tell a run. A signal commits to the inbox together with the wake of the run."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from journal import codec
from journal.entries import Kind
from journal.models import RunJournal
from runs import copies
from runs.errors import BadInput, UnknownRun
from runs.host.matching import OpenWait, assign
from runs.lifecycle import TERMINAL, Move, Status, move, touch
from runs.models import Message, Run
from runs.nudges import nudge
from runs.starting import check_input, check_text
from runs.watching import hints

ID_MAX = 255
NAME_MAX = 200


@dataclass(frozen=True, slots=True)
class Sent:
    """`outcome`: delivered (an open wait takes it), kept (until a wait takes it), repeated (this id was sent before;
    nothing was written) or refused (nothing was written). `reason` says why, for people.

    The holder of a run writes its journal: where the script has meanwhile moved on (the timeout was faster, the wait
    has lost a race), what was to be delivered is kept for the next wait that takes it."""

    outcome: str
    reason: str
    run_id: str
    wait_id: str | None = None

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        return {
            "outcome": told["outcome"],
            "reason": told["reason"],
            "runId": told["run_id"],
            "waitId": told["wait_id"],
        }


def send(
    run_id: str,
    name: str,
    payload: Any = None,
    *,
    id: str | None = None,
    wait_id: str | None = None,
    sender: User | None = None,
    also: Callable[[Sent], None] | None = None,
) -> Sent:
    """Tell a run `name` with a JSON `payload`. The same `id` again changes nothing; `wait_id` names the one wait meant.

    A run that was continued passes it on to its successor. `also` is called in the transaction that writes the signal,
    and not where none is written. Raises `UnknownRun` and `BadInput`.
    """
    _check(name, id)
    payload = check_input(payload)
    with transaction.atomic():
        run = _locked(run_id)
        if id is not None and Message.objects.filter(chain=run.chain, dedup_id=id).exists():
            return Sent("repeated", f"a signal with the id {id} was sent before", run.pk)
        if run.is_copy:
            return Sent("refused", f"the run {copies.cannot_be('signaled')}", run.pk)
        if run.status in TERMINAL:
            return Sent("refused", f"the run has ended ({run.status}) and takes no signals; start or fork one", run.pk)
        if run.kind == Run.Kind.AGENT:
            return Sent("refused", "an agent takes no signals; signal the run that delegated to it", run.pk)
        waits = open_waits(run)
        if wait_id and not any(wait.wait_id == wait_id for wait in waits):
            return Sent("refused", f"the run is no longer waiting for that ({wait_id})", run.pk)
        kept = list(Message.objects.filter(run=run, kind=Message.Kind.SIGNAL, taken_seq=None).order_by("pk"))
        taker = assign(waits, [*((m.name, m.wait_id) for m in kept), (name, wait_id or "")])[-1]
        if wait_id and taker is None:
            return Sent("refused", f"that wait ({wait_id}) has been answered already", run.pk)
        Message.objects.create(
            run=run,
            chain=run.chain,
            kind=Message.Kind.SIGNAL,
            name=name,
            payload=payload,
            dedup_id=id,
            wait_id=wait_id or "",
            sender=sender,
        )
        touch(Run.objects.filter(pk=run.pk))
        hints.changed(run.pk)
        if taker is None:
            sent = Sent("kept", "no open wait takes it yet; the next one that does is answered with it", run.pk)
        else:
            wake(run)
            sent = Sent("delivered", f"it answers the wait {taker.label or taker.wait_id}", run.pk, taker.wait_id)
        if also is not None:
            also(sent)
        return sent


def wake(run: Run) -> None:
    """Queue a parked run, whose row is locked, because its inbox has something for it. One that has failed and waits
    for another attempt listens to nothing but the clock."""
    if run.status == Status.WAITING and not run.error_code and move(Run.objects.filter(pk=run.pk), Move.WAKE):
        nudge()
        hints.changed(run.pk)


def open_waits(run: Run) -> list[OpenWait]:
    """The waits that nothing has answered, oldest first; of a parked run, those that somebody still awaits."""
    if run.status == Status.WAITING:
        parts = [part for part in run.wait or [] if part["kind"] == "wait"]
        return [OpenWait(p["callSeq"], p["waitId"], p["match"], "", p["label"], p["wakeAt"]) for p in parts]
    rows = RunJournal.objects.filter(run_id=run.journal_id, kind__in=[Kind.WAIT, Kind.EVENT], superseded_by=None)
    waits: dict[int, OpenWait] = {}
    for call_seq, kind, data in rows.order_by("seq").values_list("call_seq", "kind", "entry"):
        if kind == Kind.EVENT:
            waits.pop(call_seq, None)
            continue
        body = codec.decode(data)
        waits[call_seq] = OpenWait(
            call_seq, body["waitId"], body["match"], body["key"], body.get("label"), body.get("timeoutAt")
        )
    return list(waits.values())


def _locked(run_id: str) -> Run:
    """The run's row, or that of its newest successor, locked until the transaction ends."""
    while True:
        run = (
            Run.objects.select_for_update()
            .only("pk", "journal_id", "status", "kind", "chain", "wait", "error_code", "successor")
            .filter(pk=run_id)
            .first()
        )
        if run is None:
            raise UnknownRun(run_id)
        if not run.successor:
            return run
        run_id = run.successor


def _check(name: str, id: str | None) -> None:
    for what, text, most in (("name of the signal", name, NAME_MAX), ("id of the signal", id, ID_MAX)):
        if text is None:
            continue
        if not text.strip():
            raise BadInput(f"the {what} is empty")
        if len(text) > most:
            raise BadInput(f"the {what} has {len(text)} characters, the most is {most}")
        check_text(text, f"the {what}")
