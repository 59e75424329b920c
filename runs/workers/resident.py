"""One run while it is in a worker's memory: its host, and what the keeper and the watchdog need of it."""

import logging
import time

from django.db import DatabaseError, InterfaceError, OperationalError, connections

from journal.errors import FenceLost
from runs import ending, queue
from runs.agents.host import AgentHost
from runs.codes import Code
from runs.effects.tools import ToolEffects
from runs.family import canceled_words
from runs.held import HeldRun
from runs.host import Control, Failed, Host, Lost, Outcome, Released, SystemClock
from runs.host.rehearsal import Rehearsal
from runs.lease import Lease
from runs.models import Run
from runs.operations.again import try_again
from runs.realm import Realm
from runs.times import to_ms
from runs.workers.limits import host_limits

logger = logging.getLogger("runs")


def _nobody_to_poke() -> None:
    """The host that comes reads `control` before it waits."""


class Resident:
    """A claimed run. `advance` blocks its thread; the other methods are called from others."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.lease = Lease(run)
        self.control = Control()
        if run.cancel_requested_at:  # of a holder that let go of it before it could see to that
            self.control.cancel = canceled_words(run.cancel_reason)
        self.newest_letter = 0  # id of the newest message that it has been told of
        self.host: Host | AgentHost | None = None  # none yet while another attempt is begun
        self._rehearsal: Rehearsal | None = None  # of that attempt
        self._poke = _nobody_to_poke
        if not run.error_code:
            self._settle_in()

    def _settle_in(self) -> None:
        run, journal = self.run, HeldRun(self.run)
        if run.source is None:
            agent = AgentHost(run, journal, self.control, SystemClock(), self.lease)
            self.host, self._poke = agent, agent.poke
            return
        effects = ToolEffects(self.lease)
        self.host = Host(
            run_id=run.pk,
            source=run.source.text,
            input=run.input,
            journal=journal,
            effects=effects,
            clock=SystemClock(not_before=to_ms(run.queued_at)),
            limits=host_limits(run),
            control=self.control,
        )
        self._poke = effects.poke

    @property
    def realm(self) -> Realm | None:
        player = self.host or self._rehearsal
        return player.realm if player else None

    def advance(self) -> Outcome:
        """Until the run ends, parks or is handed over. A fault of ours fails the run by name and not the worker."""
        began = time.monotonic()
        try:
            outcome = self._advance()
            if isinstance(outcome, Released):
                queue.release({self.run.pk: self.run.fence})
        except FenceLost:
            outcome = Lost()
        except (OperationalError, InterfaceError):
            logger.warning("run %s: the database does not answer; letting the run go", self.run.pk, exc_info=True)
            outcome = self._let_go()
        except Exception as error:
            logger.exception("run %s: the host failed", self.run.pk)
            self.fail(Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
            outcome = Lost()
        logger.info("run %s %s in %.3f s", self.run.pk, type(outcome).__name__.lower(), time.monotonic() - began)
        return outcome

    def _advance(self) -> Outcome:
        if self.run.error_code:  # it has failed, and was claimed to be tried again
            begun = try_again(self.run, self._watch)
            if begun is None:
                return Failed(self.run.error)
            self.run = begun
            self._settle_in()
        assert self.host is not None
        return self.host.advance()

    def _watch(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal

    def _let_go(self) -> Outcome:
        """Hand the run back on a new connection; where that fails too, its lease runs out. No fault of the run."""
        try:
            connections.close_all()
            queue.release({self.run.pk: self.run.fence})
        except (DatabaseError, InterfaceError):
            return Lost()
        return Released()

    def fail(self, code: Code, what: str) -> bool:
        """End the run from outside of its host, if it is still ours."""
        return ending.fail(Run.objects.filter(pk=self.run.pk, fence=self.run.fence), self.run.pk, code, what)

    def lose(self) -> None:
        self.control.lost = True
        self._poke()

    def mail(self, newest: int) -> None:
        """The inbox has a message of that id, which may be new."""
        if newest > self.newest_letter:
            self.newest_letter = newest
            self.control.mail = True
            self._poke()

    def cancel(self, reason: str) -> None:
        if self.control.cancel is None:
            self.control.cancel = canceled_words(reason)
            self._poke()

    def release_by(self, at: int) -> None:
        """Park or hand over when idle, at the latest at `at` (ms since the epoch)."""
        if self.control.release_at is None:
            self.control.release_at = at
            self._poke()
