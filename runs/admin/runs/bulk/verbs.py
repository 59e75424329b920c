"""What can be done to many runs: for each verb, which runs it touches, and what it does to one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth.models import User

from runs import audit, cancelling, operations, signals
from runs.access import Verb
from runs.admin.runs.bulk.forms import BulkDeleteForm, BulkForm, BulkSignalForm
from runs.errors import NotPossible
from runs.lifecycle import Status
from runs.models import Run
from runs.pages.forms import digest
from runs.pruning import delete_tree, why_not
from runs.pruning.trees import Tree

Given = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bulk:
    """`spared(runs)` says by id why a run is not touched, "" for one that is. `act(run, given, user)` does it to one
    run, and writes it down in the same transaction; it raises `Refused`. `says` is what it comes to, for the page."""

    name: str
    right: Verb
    title: str
    done: str
    says: str
    spared: Callable[[Sequence[Run]], dict[str, str]]
    act: Callable[[Run, Given, User], None]
    form: type[BulkForm] = BulkForm
    grave: bool = False


def _each(why: Callable[[Run], str]) -> Callable[[Sequence[Run]], dict[str, str]]:
    return lambda runs: {run.pk: why(run) for run in runs}


def _ended(run: Run) -> str:
    return f"has ended ({run.status})" if run.is_terminal else ""


def _not_failed(run: Run) -> str:
    failed = run.status == Status.FAILED or (run.status == Status.WAITING and bool(run.error_code))
    return "" if failed else f"has not failed ({run.status})"


def _takes_no_signal(run: Run) -> str:
    return _ended(run) or ("is of an agent, which takes no signals" if run.kind == Run.Kind.AGENT else "")


def _cancel(run: Run, given: Given, user: User) -> None:
    told = partial(audit.record, user, verb="cancel", reason=given["reason"], bulk=given["once"])
    cancelling.cancel(run.pk, given["reason"], also=told)


def _retry(run: Run, given: Given, user: User) -> None:
    told = partial(audit.record_again, user, run, reason=given["reason"], bulk=given["once"])
    operations.retry(run.pk, also=told)


def _signal(run: Run, given: Given, user: User) -> None:
    once = f"bulk-{digest(given['once'], run.pk)}"
    name = given["name"]
    told = partial(audit.record_signal, user, name=name, reason=given["reason"], bulk=given["once"])
    sent = signals.send(run.pk, name, given["payload"], id=once, sender=user, also=told)
    if sent.outcome == "refused":
        raise NotPossible("took no signal any more")


def _delete(run: Run, given: Given, user: User) -> None:
    """Its record is written with the deletion: behind it there would be nothing to look for."""

    def told(tree: Tree) -> None:
        audit.record(user, run, audit.DELETE, given["reason"], deleted=tree.runs, bulk=given["once"])

    delete_tree(run, told)


BULK = {
    bulk.name: bulk
    for bulk in (
        Bulk(
            "cancel",
            Verb.CANCEL,
            "Cancel runs",
            "canceled, or told to stop",
            "They stop where they are, and all runs below them with them. What they have done stays in their journals.",
            _each(_ended),
            _cancel,
            grave=True,
        ),
        Bulk(
            "retry",
            Verb.RETRY,
            "Retry runs",
            "retried",
            "The failing call of each is executed again; all else is answered from its journal.",
            _each(_not_failed),
            _retry,
        ),
        Bulk(
            "signal",
            Verb.SIGNAL,
            "Signal runs",
            "signaled",
            "Each gets the same signal. Where no open wait takes it, it is kept for the next one that does.",
            _each(_takes_no_signal),
            _signal,
            BulkSignalForm,
        ),
        Bulk(
            audit.DELETE,
            Verb.DELETE,
            "Delete ended runs",
            "deleted",
            "Each goes with its whole tree, its successors and all below it, with their journals and inboxes, for good."
            " Their idempotency keys are free again. Forks of them stay, and so does what is written in the log.",
            why_not,
            _delete,
            BulkDeleteForm,
            grave=True,
        ),
    )
}
