"""The row of a run: what it is, where it stands, who holds it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.fields import CborField
from journal.models import Journal
from runs.ids import new_id
from runs.lifecycle import TERMINAL, Status
from runs.models.script import Script, ScriptVersion
from runs.models.source import Source


class Run(models.Model):
    """One execution. `status` is changed by `runs.lifecycle.move` alone."""

    class Kind(models.TextChoices):
        WORKFLOW = "workflow", "a script in a realm"
        AGENT = "agent", "a registered Python agent"

    class Queue(models.TextChoices):
        INTERACTIVE = "interactive", "somebody is looking"
        BACKGROUND = "background", "can wait"

    # What it is
    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    journal = models.OneToOneField(Journal, on_delete=models.PROTECT, related_name="of_run")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.WORKFLOW)
    title = models.CharField(max_length=200, blank=True)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, related_name="runs")
    # Of references that few runs have, the index holds those few alone: see run_children and the like.
    script_version = models.ForeignKey(
        ScriptVersion, on_delete=models.PROTECT, null=True, related_name="runs", db_index=False
    )
    script = models.ForeignKey(
        Script,
        on_delete=models.PROTECT,
        null=True,
        related_name="runs",
        db_index=False,  # the index run_script_newest begins with it
        help_text="whose version it was started as; stays when the source is edited",
    )
    schedule = models.CharField(max_length=80, null=True, help_text="the schedule that started it")  # noqa: DJ001  (none is not a name)
    input = CborField(null=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        db_index=False,  # the index run_owner_newest begins with it
    )
    origin = models.CharField(max_length=40, blank=True, help_text="what started it: startrun, api, schedule, ...")
    idempotency_key = models.CharField(max_length=500, null=True, unique=True)  # noqa: DJ001  (no key is not a key)
    budget = CborField(default=dict, help_text="limits of this run that differ from the settings")

    # Its place in the tree
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children", db_index=False)
    root = models.ForeignKey("self", on_delete=models.PROTECT, related_name="tree")
    parent_call_seq = models.PositiveIntegerField(null=True, help_text="the call of the parent that it answers")
    parent_step = CborField(null=True, help_text="id and label of the step of the parent that it was asked for in")
    depth = models.PositiveSmallIntegerField(default=0)
    agent = models.CharField(max_length=80, blank=True, help_text="the registered agent, for kind agent")
    chain = models.CharField(
        max_length=26, default="", help_text="the first run of the chain of successors that it is in"
    )
    continued_from = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="continued_as")
    successor = models.CharField(
        max_length=26, default="", help_text="the id of the run that it was continued as, so that a list need not ask"
    )
    forked_from = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,  # a fork stands by itself; its journal goes on saying what it was forked from
        null=True,
        related_name="forks",
        db_index=False,
    )

    # Where it stands
    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    output = CborField(null=True)
    error = CborField(null=True, help_text="code, message, line, excerpt, stack, tool, callSeq, retryable, detail")
    error_code = models.CharField(max_length=64, blank=True)
    failed_tool = models.CharField(max_length=80, null=True, help_text="the tool whose call the error came from")  # noqa: DJ001  (no tool is not a tool)
    signs = models.PositiveSmallIntegerField(default=0, help_text="of its replay health: see runs.health.signs")
    wait = CborField(null=True, help_text="what a parked run waits for: a list of open timers and waits")
    waits_on = models.CharField(
        max_length=40,
        blank=True,
        help_text="the kinds of what is in wait: child, retry, signal, timer; set by lifecycle",
    )
    plan = CborField(null=True)
    progress = CborField(null=True)
    attempt = models.PositiveSmallIntegerField(default=1)
    max_attempts = models.PositiveSmallIntegerField(default=1, help_text="attempts after a retryable failure")
    cancel_requested_at = models.DateTimeField(null=True)
    cancel_reason = models.CharField(max_length=500, blank=True)
    imported = CborField(
        null=True, help_text="of a read-only copy alone: what it was when it was exported; see runs.copies"
    )

    # Who moves it, and when
    queue = models.CharField(max_length=11, choices=Queue, default=Queue.INTERACTIVE)
    priority = models.SmallIntegerField(default=0, help_text="higher goes first within its queue")
    concurrency_key = models.CharField(max_length=200, null=True)  # noqa: DJ001  (no key is not a key)
    concurrency_limit = models.PositiveSmallIntegerField(
        null=True, help_text="it is not claimed while so many runs of its key are running"
    )
    held_back = models.BooleanField(default=False, help_text="queued, out of the claims' sight: its key has no place")
    fence = models.PositiveBigIntegerField(default=0, help_text="the token of the present or last holder")
    worker = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True)
    wake_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(help_text="by when it must have ended, waiting included")
    crashes = models.PositiveSmallIntegerField(default=0, help_text="workers that died holding it, at the same entry")
    crashed_at_seq = models.PositiveIntegerField(default=0, help_text="the journal's next seq at the last such death")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    queued_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    claimed_at: float  # of a row that a claim has returned: when it was asked for (`times.steady`); no column

    class Meta:
        permissions = [
            ("start_run", "Can start a run"),
            ("signal_run", "Can signal a run"),
            ("cancel_run", "Can cancel a run"),
            ("retry_run", "Can retry a run"),
            ("fork_run", "Can fork a run"),
        ]
        indexes = [
            models.Index(
                fields=["-queue", "-priority", "queued_at"],
                condition=Q(status=Status.QUEUED, held_back=False),
                name="run_queued",
            ),
            models.Index(
                fields=["concurrency_key", "held_back", "-queue", "-priority", "queued_at"],
                condition=Q(status=Status.QUEUED, concurrency_key__isnull=False),
                name="run_key_queued",
            ),
            models.Index(
                fields=["concurrency_key"],
                condition=Q(status=Status.RUNNING, concurrency_key__isnull=False),
                name="run_key_running",
            ),
            # Of waiting runs, as only these have one; SQLite uses it for a query that does not name the status.
            models.Index(fields=["wake_at"], condition=Q(wake_at__isnull=False), name="run_waking"),
            models.Index(fields=["lease_until"], condition=Q(status=Status.RUNNING), name="run_leased"),
            models.Index(fields=["deadline_at"], condition=Q(finished_at__isnull=True), name="run_deadline"),
            # The few runs that have one: beside an index of all, SQLite sorts all roots to list them.
            models.Index(fields=["parent"], condition=Q(parent__isnull=False), name="run_children"),
            models.Index(fields=["forked_from"], condition=Q(forked_from__isnull=False), name="run_forks"),
            models.Index(fields=["script_version"], condition=Q(script_version__isnull=False), name="run_versions"),
            # Lists are newest first, and an id begins with the time. Each of these begins a search: see runs.finding.
            # Roots by depth: asked for those without a parent, a planner may take the index of parents. That of all
            # runs by status is for who names its condition, which all meet: without one SQLite, which knows nothing
            # of the sizes, prefers it to the small ones that the clock and the claims live by.
            # The depth is in them so that they count alone.
            models.Index(fields=["-id", "depth"], condition=Q(depth=0), name="run_root_newest"),
            models.Index(fields=["status", "-id", "depth"], condition=Q(depth__gte=0), name="run_status_newest"),
            models.Index(fields=["status", "-id", "depth"], condition=Q(depth=0), name="run_root_status"),
            models.Index(fields=["owner", "-id"], name="run_owner_newest"),
            models.Index(fields=["owner", "status", "-id"], condition=Q(depth=0), name="run_root_owner_status"),
            models.Index(fields=["error_code", "-id"], condition=~Q(error_code=""), name="run_code_newest"),
            models.Index(fields=["failed_tool", "-id"], condition=Q(failed_tool__isnull=False), name="run_tool_newest"),
            models.Index(fields=["script", "-id"], condition=Q(script__isnull=False), name="run_script_newest"),
            models.Index(fields=["schedule", "-id"], condition=Q(schedule__isnull=False), name="run_schedule_newest"),
            models.Index(fields=["waits_on", "-id"], condition=~Q(waits_on=""), name="run_waits_newest"),
            models.Index(fields=["-id"], condition=Q(signs__gt=0), name="run_signs_newest"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=Status.values), name="run_status_known"),
            models.CheckConstraint(
                condition=Q(status__in=TERMINAL, finished_at__isnull=False)
                | (~Q(status__in=TERMINAL) & Q(finished_at__isnull=True)),
                name="run_finished_iff_terminal",
            ),
            models.CheckConstraint(
                condition=Q(status=Status.RUNNING, lease_until__isnull=False)
                | (~Q(status=Status.RUNNING) & Q(lease_until__isnull=True)),
                name="run_leased_iff_running",
            ),
            models.CheckConstraint(
                condition=Q(concurrency_key__isnull=True, concurrency_limit__isnull=True, held_back=False)
                | Q(concurrency_key__isnull=False, concurrency_limit__gte=1),
                name="run_key_with_limit",
            ),
            models.CheckConstraint(
                condition=Q(held_back=False) | Q(status=Status.QUEUED), name="run_held_back_only_queued"
            ),
            models.CheckConstraint(
                condition=Q(status=Status.IMPORTED, imported__isnull=False)
                | (~Q(status=Status.IMPORTED) & Q(imported__isnull=True)),
                name="run_imported_iff_copy",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title or 'run'} {self.id}"

    @property
    def is_terminal(self) -> bool:
        return self.status in TERMINAL

    @property
    def is_copy(self) -> bool:
        """Whether it is a read-only copy that came from a file."""
        return self.status == Status.IMPORTED
