"""The columns of the list of runs. Each takes a row of `runs.finding` and asks the database nothing."""

from datetime import datetime

from django.contrib import admin
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from runs.finding import COLUMNS as FOUND
from runs.lifecycle import Status
from runs.models import Run
from runs.pages.lists import SHORT_ID
from runs.pages.overview import progress
from runs.reading.cutting import printable
from runs.templatetags.daybook import badge
from runs.templatetags.run_page import phrase
from runs.words import span, status_phrase

# The last progress is a label and a fraction; input, output, error and plan can be megabytes and are not read.
READ = (*FOUND, "progress")
SHOWN = ("state", "run", "waits_on_words", "got_to", "attempts", "age", "duration", "of_script")


class Columns:
    """The methods that `SHOWN` names. None can be sorted by: the list is newest first, by its index."""

    @admin.display(description="Status")
    def state(self, run: Run) -> SafeString:
        return render_to_string("runs/badge.html", badge(run.status))

    @admin.display(description="Run")
    def run(self, run: Run) -> SafeString:
        short = run.pk[:SHORT_ID]
        if not run.title:
            return format_html("<code>{}</code>", short)
        return format_html('<bdi>{}</bdi> <code class="soft">{}</code>', printable(run.title), short)

    @admin.display(description="Script and kind")
    def of_script(self, run: Run) -> SafeString | str:
        if run.agent:
            return f"agent {printable(run.agent)}"
        if run.script_version is None:
            return run.kind
        return format_html('<code>{}</code> <span class="soft">{}</span>', run.script_version, run.kind)

    @admin.display(description="Progress")
    def got_to(self, run: Run) -> str:
        told = progress(run.progress) or {}
        percent = f"{told['percent']}%" if told.get("percent") else ""
        return " ".join(part for part in (percent, told.get("label", "")[:80]) if part)

    @admin.display(description="Waiting on")
    def waits_on_words(self, run: Run) -> SafeString | str:
        """What a run that is not over waits for; of a failed one its error, with the tool that it came from."""
        if run.status == Status.FAILED:
            code = format_html("<code>{}</code>", printable(run.error_code))
            return format_html("{} in {}", code, printable(run.failed_tool)) if run.failed_tool else code
        return "" if run.is_terminal else format_html("<bdi>{}</bdi>", phrase(status_phrase(run)))

    @admin.display(description="Attempts")
    def attempts(self, run: Run) -> str:
        return f"{run.attempt} of {run.max_attempts}" if run.max_attempts > 1 else str(run.attempt)

    @admin.display(description="Age")
    def age(self, run: Run) -> SafeString:
        return _lasting(run.created_at, timezone.now(), f"created {run.created_at:%Y-%m-%d %H:%M:%S} UTC")

    @admin.display(description="Duration")
    def duration(self, run: Run) -> SafeString | str:
        if run.started_at is None:
            return ""
        ended = f"ended {run.finished_at:%Y-%m-%d %H:%M:%S} UTC" if run.finished_at else "not over yet"
        return _lasting(run.started_at, run.finished_at or timezone.now(), ended)


def _lasting(begin: datetime, end: datetime, told: str) -> SafeString:
    seconds = max(0.0, (end - begin).total_seconds())
    return format_html('<span class="nowrap" title="{}">{}</span>', told, span(seconds))
