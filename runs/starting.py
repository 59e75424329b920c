"""Starting a run: the one way in for commands, pages, the API and schedules. Row, journal and nudge commit together."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, connection, transaction

from journal import codec
from runs import nudges
from runs.codes import Code
from runs.conf import conf
from runs.errors import BadInput, BadSource
from runs.lint import Finding, lint
from runs.making import make
from runs.models import Run, ScriptVersion, Source
from runs.nudges import nudge
from runs.tools.errors import ToolError
from runs.tools.plain import to_json

BUDGET_MAX = {"cpuMs": 3_600_000, "wallSeconds": 10 * 366 * 24 * 3600}
ATTEMPTS_MAX = 1000
CONCURRENCY_KEY_MAX = 200  # characters
CONCURRENCY_LIMIT_MAX = 32_767
_SCRIPTS = 32  # whose findings are remembered
TITLE_MAX = 200  # characters
KEY_MAX = 500  # characters; longer would not fit an index of PostgreSQL


@dataclass(frozen=True, slots=True)
class Started:
    """`created` is False where the idempotency key named a run that existed already."""

    run: Run
    created: bool


def start(
    source: str,
    *,
    input: Any = None,
    title: str = "",
    queue: str = Run.Queue.INTERACTIVE,
    owner: AbstractBaseUser | None = None,
    key: str | None = None,
    origin: str = "",
    priority: int = 0,
    budget: dict[str, Any] | None = None,
    max_attempts: int = 1,
    concurrency_key: str | None = None,
    concurrency_limit: int | None = None,
    script_version: ScriptVersion | None = None,
    schedule: str | None = None,
    also: Callable[[Started], None] | None = None,
) -> Started:
    """Queue a run of `source`; raises `BadSource` or `BadInput` and leaves no row behind.

    The same `key` again returns the first run and starts nothing, whatever else is given. `budget` may hold `cpuMs` and
    `wallSeconds`, which then stand in for the settings. A failure that is retryable is tried again, with growing
    pauses, until `max_attempts`. While `concurrency_limit` runs (1 unless given) of the same `concurrency_key` are
    running, this one waits in the queue; parked runs do not count, its children have no key. `script_version` is
    remembered as where the source comes from; see `runs.library.start_script`. `also` is called in the transaction that
    makes the run, and not where none is made.
    """
    if key is not None:
        check_key(key)
        if (run := Run.objects.filter(idempotency_key=key).first()) is not None:
            return Started(run, created=False)
    check_source(source)
    if not -(2**15) <= priority < 2**15:
        raise BadInput(f"the priority is {priority}; it goes from -32768 to 32767")
    check_text(origin, "the origin")
    fields = {
        "input": check_input(input),
        "title": check_title(title),
        "queue": check_queue(queue),
        "owner": owner,
        "idempotency_key": key,
        "origin": origin[:40],
        "priority": priority,
        "budget": check_budget(budget),
        "max_attempts": check_attempts(max_attempts),
        "concurrency_key": concurrency_key,
        "concurrency_limit": check_concurrency(concurrency_key, concurrency_limit),
        "script_version": script_version,
        "script_id": script_version.script_id if script_version else None,
        "schedule": schedule,
    }
    try:
        with nullcontext() if also is None and _in_one_statement(concurrency_key) else transaction.atomic():
            started = Started(make(new_source=Source.of(source), **fields), created=True)
            nudge()
            if also is not None:
                also(started)
            return started
    except IntegrityError:  # the same key, at the same time
        if key is None or (run := Run.objects.filter(idempotency_key=key).first()) is None:
            raise
        return Started(run, created=False)


def _in_one_statement(concurrency_key: str | None) -> bool:
    """Whether there is nothing that has to commit along with the one statement that makes the run."""
    alone = connection.vendor == "postgresql" and not connection.in_atomic_block
    return alone and concurrency_key is None and not nudges.in_transaction()


def check_source(source: str) -> None:
    """Raises `BadSource` for a script that cannot run."""
    check_size(source)
    if errors := _errors(source):
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise BadSource(f"line {first.line}, column {first.column}: {first.message}{more}", errors)


@lru_cache(maxsize=_SCRIPTS)
def _errors(source: str) -> list[Finding]:
    """Kept, since most runs have the script of another one, and a large script takes a second."""
    return [finding for finding in lint(source) if finding.severity == "error"]


def check_size(source: str) -> None:
    """Raises `BadSource` for a script that is too large even to be looked at."""
    size, most = len(source.encode("utf-8", "surrogatepass")), conf().source_max_bytes
    if size > most:
        code = Code.SOURCE_TOO_LARGE
        raise BadSource(f"the script has {size} bytes, the limit is {most}. {code.help}", code=code)


def check_input(input: Any) -> Any:
    """The input as a plain JSON value."""
    try:
        value = to_json(input, "input")
    except ToolError as error:
        raise BadInput(error.message.replace("return it as", "pass it as")) from None
    size, most = len(codec.encode(value)), conf().result_max_bytes
    if size > most:
        raise BadInput(f"the input has {size} bytes, the limit is {most}: pass a reference to it")
    return value


def check_key(key: str) -> None:
    if not key.strip():
        raise BadInput("the idempotency key is empty; give one that names this run, or none")
    if len(key) > KEY_MAX:
        raise BadInput(f"the idempotency key has {len(key)} characters, the most is {KEY_MAX}")
    check_text(key, "the idempotency key")


def check_queue(queue: str) -> str:
    if queue not in Run.Queue.values:
        raise BadInput(f"there is no queue {queue!r}; there are {', '.join(Run.Queue.values)}")
    return str(queue)


def check_concurrency(key: str | None, limit: int | None) -> int | None:
    """The limit, 1 unless given; None where there is no key."""
    if key is None:
        if limit is not None:
            raise BadInput("a concurrency limit counts the runs of a concurrency key; give one, or no limit")
        return None
    if not key.strip():
        raise BadInput("the concurrency key is empty; give one that names what the runs share, or none")
    if len(key) > CONCURRENCY_KEY_MAX:
        raise BadInput(f"the concurrency key has {len(key)} characters, the most is {CONCURRENCY_KEY_MAX}")
    check_text(key, "the concurrency key")
    if limit is None:
        return 1
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= CONCURRENCY_LIMIT_MAX:
        raise BadInput(f"the concurrency limit is a whole number from 1 to {CONCURRENCY_LIMIT_MAX}, not {limit!r}")
    return limit


def check_title(title: str) -> str:
    check_text(title, "the title")
    if len(title) > TITLE_MAX:
        raise BadInput(f"the title has {len(title)} characters, the most is {TITLE_MAX}")
    return title


def check_budget(budget: dict[str, Any] | None) -> dict[str, Any]:
    for name, value in (budget or {}).items():
        if name not in BUDGET_MAX:
            raise BadInput(f"a budget has no {name!r}; there are cpuMs and wallSeconds")
        most = BUDGET_MAX[name]
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= most:
            raise BadInput(f"{name} of the budget is a number above 0 and up to {most}, not {value!r}")
    return dict(budget or {})


def check_attempts(attempts: int) -> int:
    if not isinstance(attempts, int) or isinstance(attempts, bool) or not 1 <= attempts <= ATTEMPTS_MAX:
        raise BadInput(f"a run has between 1 and {ATTEMPTS_MAX} attempts, not {attempts!r}")
    return attempts


def check_text(text: str, what: str) -> None:
    """Text columns are UTF-8 without NUL on every database."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput(f"{what} has a NUL character or a lone surrogate")
