"""Runs on the database, advanced in this process, children too, until nothing is left to do; tools that keep count."""

from typing import Any

from django.utils import timezone
from driving import script

from journal import store
from runs.lifecycle import Status
from runs.models import Run
from runs.starting import start
from runs.tools import ToolError, tool
from runs.workers.inline import Inline

executed: list[Any] = []


def define_tools() -> None:
    """`note` gives its input back, `once` fails the first time that it gets that input. Use inside `registered()`."""
    executed.clear()

    @tool("note")
    def note(v: Any) -> Any:
        executed.append(v)
        return v

    @tool("once")
    def once(v: str, retryable: bool = False) -> str:
        executed.append(v)
        if executed.count(v) == 1:
            raise ToolError("once", "it broke", retryable=retryable)
        return f"{v} well"


def begun(body: str, **how: Any) -> Run:
    """A run of the script with this body, until it has ended or waits."""
    return go_on(start(script(body), **how).run)


def go_on(run: Run) -> Run:
    """Advance everything that is queued or due; the run as it is then."""
    here = Inline()
    for _ in range(300):
        due = Run.objects.filter(status=Status.WAITING, wake_at__lte=timezone.now())
        todo = Run.objects.filter(status__in=[Status.QUEUED, Status.RUNNING]) | due
        pks = list(todo.values_list("pk", flat=True))
        if not pks:
            return Run.objects.select_related("journal", "source").get(pk=run.pk)
        for pk in pks:
            here.tend(pk, 0.02)
            here.finish()
    raise AssertionError("something does not come to an end")


def active(run: Run) -> list[dict[str, Any]]:
    """The bodies that replay answers from."""
    return [entry.body for entry in store.read(run.journal_id, superseded=False)]


def calls(run: Run) -> list[int]:
    return [body["callSeq"] for body in active(run) if body["kind"] == "call"]
