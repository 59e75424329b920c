"""A row for everything that is done otherwise than by an address: actions of the admin, frames, commands."""

import types
from collections.abc import Iterator
from typing import Any, get_type_hints

from django.contrib import admin
from django.core.management import get_commands
from django.test import RequestFactory

from permissions.rules import Rule, may, resubmits, staff_with, superusers
from runs.watching import protocol

# (model, action) -> for whom it does something to a run that they have chosen; of other models, whom it is offered to.
ACTIONS: dict[tuple[str, str], Rule] = {
    ("runs.run", "cancel"): may("cancel"),
    ("runs.run", "retry"): may("retry"),
    ("runs.run", "signal"): may("signal"),
    ("runs.run", "export"): may("view"),
    ("runs.run", "delete"): may("delete"),
    ("runs.apikey", "revoke_chosen"): staff_with("change_apikey"),
    ("runs.apitoken", "revoke_chosen"): staff_with("change_apitoken"),
    ("auth.group", "delete_selected"): superusers,
    ("auth.user", "delete_selected"): superusers,
    ("django_q.failure", "delete_selected"): superusers,
    ("django_q.failure", "resubmit_task"): resubmits,
    ("django_q.ormq", "delete_selected"): superusers,
    ("django_q.schedule", "delete_selected"): superusers,
    ("django_q.success", "delete_selected"): superusers,
    ("django_q.success", "resubmit_task"): resubmits,
}
# What a client may send over the socket, and to whom it is answered with more than an error.
FRAMES = {"Subscribe": may("view"), "Unsubscribe": may("view")}
# What acts on a run does not go by the socket, for nobody.
NO_FRAMES = ("SignalRun", "CancelRun", "RetryRun", "ForkRun", "StartRun", "Cancel", "Retry")

# Command -> its arguments and the deed that it writes down for the user of the shell; None: it changes nothing.
COMMANDS: dict[str, tuple[list[str], str] | None] = {
    "cancelrun": (["{live}"], "cancel"),
    "signalrun": (["{live}", "go"], "signal"),
    "retryrun": (["{failed}"], "retry"),
    "forkrun": (["{failed}", "--call", "1"], "fork"),
    "savescript": (["another", "{file}"], "saved another@1"),
    "schedulescript": (["hourly", "report", "--every", "60"], "added"),
    **dict.fromkeys(("lintscript", "listtools", "showrun", "showschedules")),
    "startrun": (["{file}"], "start"),
    "pruneruns": (["--older-than", "30m", "--reason", "by law"], "prune: by law"),
    "importrun": (["{exported}"], "import"),
    "apiaccess": (["--revoke", "{public_id}"], "revoked the token {public_id}"),
    **dict.fromkeys(("exportrun", "verifyrun", "checkjournal", "tailrun", "runstats")),
    **dict.fromkeys(("qcluster", "runclock", "sweepruns", "up", "seedruns")),
}


def actions(person_account: Any) -> Iterator[tuple[str, str]]:
    """All that the admin offers to that user."""
    request = RequestFactory().get("/admin/")
    request.user = person_account
    for model, of in admin.site._registry.items():
        yield from ((model._meta.label_lower, name) for name in of.get_actions(request))


def frames() -> set[str]:
    """What the socket takes, as its parser says."""
    told = get_type_hints(protocol.parse)["return"]
    assert isinstance(told, types.UnionType)
    return {each.__name__ for each in told.__args__}


def commands() -> set[str]:
    """Those of ours, and of django-q2 those that we have taken over."""
    return {name for name, app in get_commands().items() if app == "runs"}
