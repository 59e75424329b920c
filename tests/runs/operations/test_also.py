"""`also`: what has to be written with a verb is written in its transaction, and without it nothing is done."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from driving import script
from going import begun

from journal.models import RunJournal
from runs import cancelling
from runs.cancelling import cancel
from runs.models import Message, Run
from runs.operations import fork, retry, rewind
from runs.signals import send
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
FAILS = "return ctx.call('once', {v: 'b'})"
WAITS = "return (await ctx.waitForEvent({signal: 'go'})).payload"
VERBS: dict[str, tuple[str, Callable[..., Any]]] = {
    "start": (WAITS, lambda _run, **how: start(script(WAITS), **how)),
    "signal": (WAITS, lambda run, **how: send(run.pk, "go", **how)),
    "kept signal": (WAITS, lambda run, **how: send(run.pk, "later", **how)),
    "cancel": (WAITS, lambda run, **how: cancel(run.pk, **how)),
    "retry": (FAILS, lambda run, **how: retry(run.pk, **how)),
    "rewind": (FAILS, lambda run, **how: rewind(run.pk, 1, **how)),
    "fork": (FAILS, lambda run, **how: fork(run.pk, 1, **how)),
}
NOTHING_DONE: dict[str, tuple[str, Callable[..., Any]]] = {
    "start": (WAITS, lambda run, **how: start(script(WAITS), key=run.idempotency_key, **how)),
    "repeated signal": (
        WAITS,
        lambda run, **how: [send(run.pk, "later", id="1"), send(run.pk, "later", id="1", **how)],
    ),
    "refused signal": (FAILS, lambda run, **how: send(run.pk, "go", **how)),
    "retry": (FAILS, lambda run, **how: retry(run.pk, dry_run=True, **how)),
    "rewind": (FAILS, lambda run, **how: rewind(run.pk, 1, dry_run=True, **how)),
    "fork": (FAILS, lambda run, **how: fork(run.pk, 1, dry_run=True, **how)),
    "known fork": (FAILS, lambda run, **how: [fork(run.pk, 1, key="k"), fork(run.pk, 1, key="k", **how)]),
}


class Broken(Exception):
    pass


@pytest.mark.parametrize("verb", VERBS)
def test_it_is_called_once_within_the_transaction(verb: str) -> None:
    body, act = VERBS[verb]
    run = begun(body)
    seen: list[bool] = []
    act(run, also=lambda _done: seen.append(connection.in_atomic_block))
    assert seen == [True]


@pytest.mark.parametrize("verb", VERBS)
def test_where_it_fails_nothing_has_been_done(verb: str) -> None:
    body, act = VERBS[verb]
    run = begun(body)
    before = everything()

    def fail(_done: Any) -> None:
        raise Broken

    with pytest.raises(Broken):
        act(run, also=fail)
    assert everything() == before


def test_a_run_below_that_ends_by_itself_meanwhile_is_no_second_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    run, ended = begun(WAITS), begun("return 1")
    Run.objects.filter(pk=run.pk).update(cancel_requested_at=run.created_at)  # by somebody who was interrupted
    monkeypatch.setattr(cancelling, "_below", lambda _top: iter([run.pk, ended.pk]))
    seen: list[str] = []
    assert cancel(run.pk, also=lambda top: seen.append(top.pk)).done == [run.pk]
    assert seen == [run.pk]


@pytest.mark.parametrize("verb", NOTHING_DONE)
def test_it_is_not_called_where_nothing_is_done(verb: str) -> None:
    body, act = NOTHING_DONE[verb]
    run = begun(body, key="one")

    def fail(_done: Any) -> None:
        raise Broken

    act(run, also=fail)


def everything() -> list[list[dict[str, Any]]]:
    return [list(model.objects.order_by("pk").values()) for model in (Run, RunJournal, Message)]
