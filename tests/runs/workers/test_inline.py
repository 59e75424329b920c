"""A run in this process: claimed in the transaction that made it, woken when due, taken over from the dead."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from helpers import House, eventually

from runs import queue, starting
from runs.errors import BadSource
from runs.lifecycle import Status
from runs.models import Run
from runs.workers.inline import Inline

pytestmark = pytest.mark.django_db(transaction=True)


def end(here: Inline, run: Run) -> Run:
    """Tend the run until it has ended."""

    def ended() -> bool:
        here.tend(run.pk, 0.2)
        run.refresh_from_db()
        return run.is_terminal

    eventually(ended)
    here.finish()
    return run


def test_no_worker_can_claim_what_it_starts() -> None:
    here = Inline()
    started = here.start("export default () => 1")
    assert queue.claim("a worker") == []
    assert end(here, started.run).output == 1


def test_a_script_that_is_refused_leaves_no_row() -> None:
    with pytest.raises(BadSource):
        Inline().start("export default () => Date()")
    assert not Run.objects.exists()


def test_it_wakes_the_run_itself(settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "resident_sleep_ms": 1}
    here = Inline()
    run = here.start("export default (input, ctx) => ctx.sleep(30).then(() => ctx.sleep(20)).then(() => 2)").run
    assert end(here, run).output == 2


def test_it_advances_the_whole_tree() -> None:
    here = Inline()
    child = "export default (n, ctx) => ctx.sleep(5).then(() => n * 2)"
    asks = f"(n) => () => ctx.delegate({{script: '{child}', input: n}})"
    run = here.start(f"export default (i, ctx) => ctx.parallel([1, 2].map({asks}))").run
    assert end(here, run).output == [2, 4]


def test_a_run_whose_holder_died_is_taken_over() -> None:
    run = starting.start("export default () => 3", key="k").run
    queue.claim("gone")
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    here = Inline()
    assert not here.start("export default () => 3", key="k").created
    assert end(here, run).output == 3


def test_a_parked_run_that_is_too_old_is_ended(settings: Any) -> None:
    here = Inline()
    run = here.start("export default (input, ctx) => ctx.sleep(60000)").run
    eventually(lambda: Run.objects.get(pk=run.pk).status == Status.WAITING)
    Run.objects.filter(pk=run.pk).update(deadline_at=timezone.now())
    assert end(here, run).error_code == "wall-timeout"


def test_an_engine_call_that_does_not_stop_fails_the_run_and_the_process_still_ends(
    house: House, tmp_path: Path
) -> None:
    script = tmp_path / "stuck.js"
    script.write_text("export default () => [].join.call({ length: 2 ** 32 - 1 }, '').length")
    done = house.manage("startrun", str(script), "--inline", "--json", check=False, DAYBOOK_FUEL_MS="200")
    assert done.returncode == 1
    assert '"code": "fuel-exhausted"' in done.stdout
