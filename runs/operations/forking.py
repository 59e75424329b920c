"""fork: a new run that has done what another had done up to one of its calls. The other is only read."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone

from journal import bodies, store
from journal.bodies import Body
from journal.entries import Entry, Kind
from runs import copies
from runs.errors import BadInput, NotPossible, UnknownRun
from runs.family import make_children
from runs.ids import new_id
from runs.making import make, of_fork
from runs.models import Run, Source
from runs.nudges import nudge
from runs.operations import children as family
from runs.operations.cutting import Cut, copied_before
from runs.operations.rehearsing import Rehearsed, rehearse
from runs.operations.verbs import Also, Done, load, unless_gone, with_call
from runs.starting import check_input, check_source
from runs.times import to_ms

UNSET: Any = object()


def fork(
    run_id: str,
    call: int,
    *,
    source: str | None = None,
    result: Any = UNSET,
    children: str | None = None,
    owner: AbstractBaseUser | None = None,
    key: str | None = None,
    dry_run: bool = False,
    also: Also = None,
) -> Done:
    """A new run that goes on from before call `call`, or with `result` (a JSON value) as what that call came to.

    Any run of a script can be forked, in any state. A fork stands by itself: it has no parent, and makes its own
    children for calls whose children have not ended; `children` says what becomes of those. The same idempotency `key`
    again gives the first fork, and makes none. `also` is called in the transaction that makes the fork, and not where
    none is made. Raises as `retry` does.
    """
    if key is not None and (known := _made_before(key)) is not None:
        return known
    run = load(run_id)
    family.check_choice(children)
    if run.source is None:
        raise NotPossible("an agent has no calls to fork from; start it again")
    if run.is_copy:
        _check_copy(run, source)
    value = UNSET if result is UNSET else check_input(result)

    def cutter(entries: Sequence[Entry]) -> Cut:
        with_call(entries, call)
        return copied_before(entries, call, None if value is UNSET else _ended(entries, call, value))

    fork_id = new_id()
    told = f"forked from call {call} of run {run.pk}"
    told += "" if value is UNSET else f", call {call} given another result"
    told += "" if source is None else ", with an edited source"
    with unless_gone(run.pk):
        made = rehearse(run, cutter, told, source=source, fork_id=fork_id)
    done = Done("fork", fork_id, 1, dry_run, made.report, [child.pk for child in family.live(run)])
    if not dry_run:
        why = f"run {run.pk} was forked as {fork_id}"
        try:
            with transaction.atomic():
                live = family.settled(family.live(run), children, why)
                _hold(run)
                _make(run, made, fork_id, owner, key)
                if also is not None:
                    also(done)
        except IntegrityError:  # the same key, at the same time
            if key is None or (known := _made_before(key)) is None:
                raise
            return known
        if children == family.CANCEL:
            family.cancel_all(live, why)
    return done


def _check_copy(run: Run, source: str | None) -> None:
    """The script of a copy came with a file: it is looked at as any that is started. Raises `BadSource`, and
    `NotPossible` where its journal does not replay."""
    if not copies.replays(run):
        raise NotPossible(
            f"values were taken out of run {run.pk} when it was exported ({', '.join(copies.redacted(run))}):"
            " its journal cannot answer its script. Import a file without redactions"
        )
    assert run.source is not None
    check_source(run.source.text if source is None else source)


def _ended(entries: Sequence[Entry], call: int, value: Any) -> Body:
    """The completion that an operator gives: marked as theirs."""
    first = next(entry.body for entry in entries if entry.call_seq == call)
    match first["kind"]:
        case Kind.CALL:
            body = bodies.result(call, first["key"], True, value)
        case Kind.WAIT:
            delivery = {"signal": first["match"].get("signal", ""), "payload": value}
            body = bodies.event(call, first["key"], first["waitId"], delivery)
        case kind:
            raise BadInput(
                f"call {call} is a {kind}, which has no result; one of a tool, a child or a wait can be given"
            )
    return body | {"origin": "operator"}


def _made_before(key: str) -> Done | None:
    fork_id = Run.objects.filter(idempotency_key=key).values_list("pk", flat=True).first()
    return Done("fork", fork_id, 1, dry_run=False, replay=None) if fork_id else None


def _hold(run: Run) -> None:
    """The fork refers to the run, which nobody deletes from here on until it is made. Raises `UnknownRun`."""
    if not Run.objects.select_for_update(no_key=True).filter(pk=run.pk).values_list("pk").first():
        raise UnknownRun(run.pk)


def _make(run: Run, made: Rehearsed, fork_id: str, owner: AbstractBaseUser | None, key: str | None) -> None:
    fields = of_fork(run) | {"idempotency_key": key}
    if owner is not None:
        fields["owner_id"] = owner.pk
    fields["source_id"] = Source.keep(made.source).pk
    if run.source is None or made.source != run.source.text:  # edited: no longer what the library has
        fields["script_version_id"] = None
    with transaction.atomic():
        forked = make(fork_id, **fields)
        store.append(fork_id, forked.journal.fence, _copied(made))
        if made.changes.early:
            make_children(forked, made.stood.round.children)
        nudge()


def _copied(made: Rehearsed) -> list[Entry]:
    """The journal of the fork, counted from 1; what is copied keeps its time."""
    now = to_ms(timezone.now())
    kept = [entry for entry in made.cut.kept if entry.seq not in made.changes.superseded]
    told = [(entry.at, entry.body) for entry in kept]
    told += [(now, body) for body in [made.notice, *made.changes.appended]]
    return [Entry.of(seq, at, body) for seq, (at, body) in enumerate(told, 1)]
