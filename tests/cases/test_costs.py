"""What a run costs the database: statements and commits, counted, since throughput hangs on them and a test can hold
them still."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from cases.engines import BOTH
from cases.here import drain
from cases.installation import Installation, entries, look, script
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.brokers import get_broker
from redis.client import Redis

from runs import nudges, queue
from runs.starting import start
from runs.workers.pool import Pool

if TYPE_CHECKING:
    from runs.models import Run

pytestmark = BOTH
RUNNING = False
ONE_CALL = "return await ctx.call('echo', {v: 1})"


@pytest.fixture(autouse=True)
def _warm(house: Installation) -> None:
    """A connection that is open, a source that is known, a queue that is empty."""
    start(script(ONE_CALL))
    drain()


@pytest.fixture
def redis_commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the commands sent to Redis, which grows as they are."""
    sent: list[str] = []
    execute = Redis.execute_command

    def noted(self: Any, *args: Any, **options: Any) -> Any:
        sent.append(args[0])
        return execute(self, *args, **options)

    monkeypatch.setattr(Redis, "execute_command", noted)
    return sent


def statements(work: Callable[[], Any]) -> list[str]:
    """The first words of what this thread's connection sends, in order; BEGIN and COMMIT are sent by themselves."""
    with CaptureQueriesContext(connection) as captured:
        work()
    return [query["sql"].split()[0] for query in captured]


def of_engine(sqlite: str, postgres: str) -> list[str]:
    return (postgres if connection.vendor == "postgresql" else sqlite).split()


def test_a_start_is_one_statement_or_one_transaction(house: Installation) -> None:
    """On PostgreSQL source, journal and run are one statement; on SQLite one commit also carries the nudge."""
    found = statements(lambda: start(script(ONE_CALL)))
    # The nudge of the run before is still with the broker of SQLite, which is asked once.
    assert found == of_engine("BEGIN INSERT INSERT INSERT SELECT COMMIT", "WITH")
    drain()


def test_a_start_with_a_worker_awake_asks_redis_once(house: Installation, redis_commands: list[str]) -> None:
    """No message through the broker, no look at its queue."""
    nudges.awake()
    redis_commands.clear()
    start(script(ONE_CALL))
    assert redis_commands == of_engine("", "SET")
    nudges.asleep()
    drain()


def test_a_claim_costs_the_same_for_one_run_and_for_many(house: Installation) -> None:
    """One statement on PostgreSQL; on SQLite a look and a transaction."""
    for count in (1, 8):
        for _ in range(count):
            start(script(ONE_CALL))
        held: list[Run] = []
        found = statements(lambda held=held, count=count: held.extend(queue.claim("w", count)))
        assert found == of_engine("SELECT BEGIN SELECT UPDATE UPDATE SELECT COMMIT", "WITH")
        assert len(held) == count
        for run in held:
            assert statements(lambda run=run: Pool().advance(run))


def test_a_look_in_vain_is_one_statement(house: Installation) -> None:
    """And on SQLite it takes no turn at writing."""
    assert statements(lambda: queue.claim("w", 8)) == of_engine("SELECT", "WITH")


def test_a_run_of_one_call_commits_twice(house: Installation) -> None:
    """Once before the call starts, once with its result and the end of the run."""
    run = start(script(ONE_CALL)).run
    (held,) = queue.claim("w")
    found = statements(lambda: Pool().advance(held))
    assert found == of_engine("BEGIN UPDATE INSERT COMMIT BEGIN UPDATE UPDATE INSERT COMMIT", "WITH WITH")
    assert look(run).status == "succeeded"
    assert [entry.kind for entry in entries(run)] == ["call", "result"]


def test_a_burst_of_starts_is_one_message_until_a_worker_has_looked_for_the_last_time(house: Installation) -> None:
    """The sign of Redis; on SQLite the message that waits says the same."""
    get_broker().purge_queue()
    nudges.asleep()
    for _ in range(3):
        start(script(ONE_CALL))
    assert get_broker().queue_size() == 1
    get_broker().purge_queue()  # a worker has taken it
    nudges.awake()
    start(script(ONE_CALL))
    assert get_broker().queue_size() == (0 if connection.vendor == "postgresql" else 1)
    get_broker().purge_queue()
    nudges.asleep()
    start(script(ONE_CALL))
    assert get_broker().queue_size() == 1
    drain()
