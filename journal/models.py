"""The tables of the journal: `Journal`, the small hot row that appends lock; `RunJournal`, its entries; and
`JournalScript`, the scripts that entries name."""

from django.db import models

from journal.entries import Kind


class Journal(models.Model):
    """One row per journal. Only the holder of `fence` may append; sizes are kept so that no append counts rows."""

    run_id = models.CharField(primary_key=True, max_length=26)
    next_seq = models.PositiveIntegerField(default=1)
    last_call_seq = models.PositiveIntegerField(default=0, help_text="the highest ever given out, superseded ones too")
    bytes = models.PositiveBigIntegerField(default=0)
    cpu_ms = models.FloatField(default=0, help_text="CPU that the realm spent on new work, in ms")
    fence = models.PositiveBigIntegerField(default=0)
    realm_version = models.PositiveSmallIntegerField(help_text="the replay semantics this journal was written under")

    class Meta:
        db_table = "journal"

    def __str__(self) -> str:
        return f"journal of {self.run_id}"


class RunJournal(models.Model):
    """One entry. `entry` is the CBOR of the body; `call_seq` and `kind` repeat it as columns to look up by."""

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = models.ForeignKey(Journal, on_delete=models.CASCADE, related_name="entries", db_index=False)
    seq = models.PositiveIntegerField()
    call_seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    at = models.PositiveBigIntegerField(help_text="ms since the epoch")
    entry = models.BinaryField()
    superseded_by = models.PositiveSmallIntegerField(null=True, help_text="the attempt that left this entry behind")

    class Meta:
        db_table = "run_journal"
        indexes = [models.Index(fields=["run", "call_seq"], name="run_journal_call")]
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="run_journal_kind_known"),
            models.CheckConstraint(condition=models.Q(seq__gte=1), name="run_journal_seq_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.seq} {self.kind}"


class JournalScript(models.Model):
    """A script that entries of a journal name and do not hold, by its content key: to be looked up from the script's
    side, so that one that a journal needs is never deleted."""

    pk = models.CompositePrimaryKey("run_id", "sha256")
    run = models.ForeignKey(Journal, on_delete=models.CASCADE, related_name="scripts", db_index=False)
    sha256 = models.CharField(max_length=64)

    class Meta:
        db_table = "journal_script"
        indexes = [models.Index(fields=["sha256"], name="journal_script_named")]

    def __str__(self) -> str:
        return f"{self.run_id} names {self.sha256[:12]}"
