"""The library: named scripts, each with immutable versions by content."""

from typing import Any

from django.core.validators import RegexValidator
from django.db import models

from runs.models.source import Source

NAME = r"[a-z0-9][a-z0-9._-]*"


class Script(models.Model):
    """A name under which a script is started."""

    name = models.CharField(max_length=80, unique=True, validators=[RegexValidator(rf"^{NAME}\Z")])
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    keep_days = models.PositiveSmallIntegerField(
        null=True, help_text="after so many days its ended runs are deleted: 0 is never, none is as the setting says"
    )
    keep_failed = models.BooleanField(default=True, help_text="those that failed are kept all the same")

    def __str__(self) -> str:
        return self.name


class ScriptVersion(models.Model):
    """`number` counts from 1 within the script; the same content is the same version, which never changes."""

    script = models.ForeignKey(Script, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="versions")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["script", "number"], name="script_version_number"),
            models.UniqueConstraint(fields=["script", "source"], name="script_version_content"),
        ]

    def __str__(self) -> str:
        return f"{self.script.name}@{self.number}"

    def save(self, **options: Any) -> None:
        """Once: runs and schedules that name a version rely on what it says."""
        if not self._state.adding:
            raise TypeError(f"{self} is immutable; save another version of {self.script.name}")
        super().save(**options)
