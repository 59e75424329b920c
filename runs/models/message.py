"""The inbox: messages for a run that its next claim, or its present holder, turns into entries."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.fields import CborField


class Message(models.Model):
    """One message, in order of arrival. It stays as a row when it is taken, so that its dedup id keeps working."""

    class Kind(models.TextChoices):
        SIGNAL = "signal", "somebody signaled the run"
        CHILD = "child", "a child of the run has ended"

    run = models.ForeignKey("runs.Run", on_delete=models.CASCADE, related_name="inbox")
    chain = models.CharField(max_length=26, help_text="of the run; a dedup id counts for all successors")
    kind = models.CharField(max_length=6, choices=Kind)
    name = models.CharField(max_length=200, blank=True, help_text="of a signal")
    payload = CborField(null=True, help_text="of a signal; for a child {ok, value, childRunId}")
    call_seq = models.PositiveIntegerField(null=True, help_text="the call that the child answers")
    wait_id = models.CharField(max_length=40, blank=True, help_text="the one wait that a signal is for")
    dedup_id = models.CharField(max_length=255, null=True)  # noqa: DJ001  (no id is not an id)
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    taken_seq = models.PositiveIntegerField(null=True, help_text="the entry that it became")

    class Meta:
        indexes = [models.Index(fields=["run", "id"], condition=Q(taken_seq__isnull=True), name="message_kept")]
        constraints = [models.UniqueConstraint(fields=["chain", "dedup_id"], name="message_once_per_id")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} for {self.run_id}"
