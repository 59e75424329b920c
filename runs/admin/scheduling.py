"""The forms of schedules: each field says beside itself why it is refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django_q.models import Schedule

from runs import library, schedules
from runs.access import Person
from runs.audit import REASON_MAX, record_schedule
from runs.cron import check_cron
from runs.errors import Refused
from runs.models import Run
from runs.pages.forms import JsonField, as_text
from runs.starting import check_title


class ScheduleForm(forms.Form):
    """What a schedule has beside its name; `cleaned_data` has the arguments of `schedules.schedule`, and `reason`."""

    use_required_attribute = False

    script = forms.CharField(
        max_length=91,
        help_text="A script of the library: its name, for the newest version at each firing, or name@3.",
        widget=forms.TextInput(attrs={"list": "scripts"}),
    )
    cron = forms.CharField(
        label="Cron line",
        required=False,
        help_text="Minute, hour, day, month, weekday, in UTC: <code>30 6 * * mon-fri</code>. This or the minutes.",
    )
    minutes = forms.IntegerField(
        required=False, min_value=1, max_value=schedules.MINUTES_MAX, help_text="Or: start it every so many minutes."
    )
    title = forms.CharField(max_length=200, required=False, help_text="Of its runs; by default the name and the time.")
    queue = forms.ChoiceField(choices=Run.Queue.choices, initial=Run.Queue.BACKGROUND)
    input = JsonField(rows=4, help_text="JSON; what the script gets as <code>input</code>. Empty is null.")
    reason = forms.CharField(max_length=REASON_MAX, required=False, help_text="Why, for the record.")

    def clean_script(self) -> str:
        script: str = self.cleaned_data["script"]
        _checked(library.find, script)
        return script

    def clean_cron(self) -> str | None:
        line: str = self.cleaned_data["cron"]
        return str(_checked(check_cron, line)) if line.strip() else None

    def clean_title(self) -> str:
        return str(_checked(check_title, self.cleaned_data["title"]))

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        said = [name for name in ("cron", "minutes") if given.get(name) is not None or name in self.errors]
        if len(said) != 1:
            found = "Both are given" if said else "Neither is given"
            self.add_error("cron", f"{found}: a schedule has either a cron line or a number of minutes.")
        return given

    def save(self, user: Person, name: str) -> schedules.Planned:
        """Written down as done by that user. Raises what `schedules.schedule` raises."""
        told = partial(record_schedule, user, reason=self.cleaned_data["reason"])
        return schedules.schedule(name, **{field: self.cleaned_data[field] for field in _ARGUMENTS}, also=told)


class NewScheduleForm(ScheduleForm):
    """One that there is not yet."""

    field_order = ("name",)
    name = forms.CharField(max_length=80, help_text=f"{library.NAMING[:1].upper()}{library.NAMING[1:]}.")

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        _checked(schedules.check_name, name)
        if Schedule.objects.filter(func=schedules.TASK, name=name).exists():
            raise forms.ValidationError(f"There is a schedule “{name}” already: change it on its page.")
        return name


class RemoveForm(forms.Form):
    reason = ScheduleForm.base_fields["reason"]


_ARGUMENTS = ("script", "cron", "minutes", "title", "queue", "input")


def filled(planned: schedules.Planned) -> dict[str, Any]:
    """The fields of a schedule as it stands."""
    told = {field: getattr(planned, field) for field in _ARGUMENTS}
    return told | {"input": "" if planned.input is None else as_text(planned.input)}


def _checked(check: Callable[[str], Any], value: str) -> Any:
    try:
        return check(value)
    except Refused as refused:
        text = str(refused)
        raise forms.ValidationError(text[:1].upper() + text[1:]) from None
