"""A holder's own knowledge of its lease: fresh costs nothing, old is renewed by its fence or lost."""

from dataclasses import dataclass

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from journal.errors import FenceLost
from runs import claiming, queue, times
from runs.conf import conf
from runs.host import Lost, Succeeded
from runs.lease import Lease
from runs.models import Run
from runs.starting import start
from runs.workers.keeper import Keeper
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db
CALLS = "export default async (input, ctx) => [await ctx.call('echo', {v: 1}), await ctx.call('echo', {v: 2})]"


@dataclass
class Passing:
    """Seconds, which pass when the test says so."""

    now: float = 1000

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Passing:
    clock = Passing()
    monkeypatch.setattr(times, "steady", clock)
    return clock


def held() -> Run:
    run = start(CALLS).run
    return queue.claim("w", only=run.pk)[0]


def renewals(captured: CaptureQueriesContext) -> int:
    return sum(query["sql"].startswith('UPDATE "runs_run" SET "lease_until"') for query in captured)


def test_a_fresh_lease_costs_no_query(passing: Passing) -> None:
    lease = Lease(held())
    passing.now += conf().lease_seconds * 0.6
    with CaptureQueriesContext(connection) as captured:
        assert lease.fresh()
        lease.renew()
    assert len(captured) == 0


def test_it_is_fresh_for_as_long_as_the_keeper_may_take_to_renew_it(passing: Passing) -> None:
    lease = Lease(held())
    passing.now += 2 * conf().renew_seconds
    assert lease.fresh()


def test_in_its_last_third_it_is_renewed_by_one_update(passing: Passing) -> None:
    lease = Lease(held())
    Run.objects.update(lease_until=timezone.now())
    passing.now += conf().lease_seconds * 0.7
    assert not lease.fresh()
    with CaptureQueriesContext(connection) as captured:
        lease.renew()
    assert renewals(captured) == 1
    assert lease.fresh()
    assert Run.objects.get().lease_until > timezone.now()  # type: ignore[operator]


def test_it_counts_from_before_the_claim_was_asked_for(passing: Passing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that the database, or this process, was slow to answer has used up the lease."""
    hold = claiming.hold

    def slow(worker: str, ids: list[str]) -> list[Run]:
        runs = hold(worker, ids)
        passing.now += conf().lease_seconds
        return runs

    monkeypatch.setattr(claiming, "hold", slow)
    assert not Lease(held()).fresh()


def test_one_that_another_has_is_lost_and_left_alone(passing: Passing) -> None:
    run = held()
    lease = Lease(run)
    passing.now += conf().lease_seconds
    queue.release({run.pk: run.fence})
    queue.claim("other", only=run.pk)
    until = Run.objects.get().lease_until
    with pytest.raises(FenceLost):
        lease.renew()
    assert not lease.fresh()
    assert Run.objects.get().lease_until == until


def test_a_renewal_of_the_keeper_makes_the_leases_fresh_that_it_has_renewed(
    passing: Passing, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, lost = Resident(held()), Resident(held())
    queue.release({lost.run.pk: lost.run.fence})
    keeper = Keeper()
    monkeypatch.setattr(keeper, "residents", lambda: [mine, lost])
    passing.now += conf().lease_seconds
    keeper._renew()
    assert mine.lease.fresh()
    assert not lost.lease.fresh()


def test_a_run_costs_no_renewal_while_its_lease_is_fresh() -> None:
    resident = Resident(held())
    with CaptureQueriesContext(connection) as captured:
        assert resident.advance() == Succeeded([1, 2])
    assert renewals(captured) == 0


def test_a_run_that_nobody_took_meanwhile_renews_once_and_goes_on(passing: Passing) -> None:
    resident = Resident(held())
    passing.now += conf().lease_seconds * 2
    with CaptureQueriesContext(connection) as captured:
        assert resident.advance() == Succeeded([1, 2])
    assert renewals(captured) == 1


def test_a_run_that_was_taken_between_its_commit_and_its_start_is_let_go(
    passing: Passing, monkeypatch: pytest.MonkeyPatch
) -> None:
    resident = Resident(held())
    effects = resident.host._desk.effects  # type: ignore[union-attr]
    begin = effects.start

    def late(call: object) -> None:
        passing.now += conf().lease_seconds
        Run.objects.filter(pk=resident.run.pk).update(fence=resident.run.fence + 1)
        begin(call)  # type: ignore[arg-type]

    monkeypatch.setattr(effects, "start", late)
    executed: list[object] = []
    monkeypatch.setattr(effects, "execute", executed.append)
    assert isinstance(resident.advance(), Lost)
    assert executed == []
