"""The effect search page: calls by tool, narration, end, and what they were given or gave, over the runs chosen.

Everybody of the staff may search; it looks into the runs that they may see. A search that was cut short says so, and
goes on from there.
"""

from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from runs import finding
from runs.admin import site
from runs.agents.registry import all_agents
from runs.errors import BadInput, Refused
from runs.finding import Asked
from runs.pages.filters import RANGES, STATUS_CHOICES
from runs.pages.forms import read_json
from runs.pages.lists import row_of
from runs.searching import Effects, Found, Match, search
from runs.searching.effects import ARGUMENTS, EITHER, RESULT, STATUSES, UNSET
from runs.times import from_ms
from runs.tools.registry import all_tools

VERBS = ("cancel", "retry", "signal", "export")  # what the list of runs does to several
WHERE = {EITHER: "arguments or result", ARGUMENTS: "arguments", RESULT: "result or error"}


class EffectForm(forms.Form):
    """What the call is to have, and which runs are looked into; "" for what is not asked for."""

    use_required_attribute = False

    tool = forms.CharField(
        label="Tool or agent", required=False, max_length=100, widget=forms.TextInput(attrs={"list": "tools"})
    )
    narration = forms.CharField(label="Narration has", required=False, max_length=200)
    outcome = forms.ChoiceField(
        label="The call", required=False, choices=[("", "in any state"), *((name, name) for name in STATUSES)]
    )
    text = forms.CharField(label="Text", required=False, strip=False, max_length=500)
    value = forms.CharField(label="JSON value", required=False, max_length=2000)
    where = forms.ChoiceField(label="In its", required=False, choices=list(WHERE.items()))
    script = forms.CharField(label="Script of the run", required=False, max_length=91)
    status = forms.ChoiceField(label="The run", required=False, choices=STATUS_CHOICES)
    code = forms.CharField(
        label="Error code", required=False, max_length=64, widget=forms.TextInput(attrs={"list": "codes"})
    )
    made = forms.ChoiceField(
        label="Made in", required=False, choices=[("", "any time"), *((k, words) for k, (words, _) in RANGES.items())]
    )
    before = forms.RegexField(regex=r"\A[0-9a-z]{26}\Z", required=False, widget=forms.HiddenInput)

    def clean_value(self) -> Any:
        text: str = self.cleaned_data["value"]
        try:
            return read_json(text) if text.strip() else UNSET
        except Refused as refused:
            raise forms.ValidationError(f'{refused}. A text has its quotation marks: "paid".') from None

    def effects(self) -> Effects:
        given = self.cleaned_data
        told = {name: given[name] for name in ("tool", "narration", "text", "value")}
        return Effects(**told, status=given["outcome"], where=given["where"] or EITHER)

    def runs(self) -> Asked:
        given = self.cleaned_data
        since = timezone.now() - RANGES[given["made"]][1] if given["made"] else None
        return Asked(script=given["script"], status=given["status"], code=given["code"], since=since)

    def further(self, older: str) -> str:
        """The address at which this search goes on."""
        asked = {name: self.data[name] for name in self.fields if self.data.get(name)}
        return f"?{urlencode(asked | {'before': older})}"


@site.view("effects")
def effects_page(request: HttpRequest) -> HttpResponse:
    """Without a query it shows the form alone."""
    asked = any(value for name, value in request.GET.items() if name in EffectForm.base_fields)
    form = EffectForm(request.GET if asked else None)
    context: dict[str, Any] = {
        "form": form,
        "names": [tool.name for tool in (*all_tools(), *all_agents())],
        "codes": finding.codes(request.user),
    }
    if form.is_valid():
        try:
            found = search(request.user, form.effects(), form.runs(), before=form.cleaned_data["before"])
        except BadInput as refused:
            form.add_error(None, str(refused)[:1].upper() + str(refused)[1:])
        else:
            runs = _by_run(found)
            ids = ",".join(row["run"].pk for row in runs)
            context |= {"found": found, "runs": runs, "ids": ids, "verbs": VERBS}
            context |= {"further": form.further(found.older) if found.partial else ""}
    return site.show(request, "effects", context, status=422 if form.errors else 200)


def _by_run(found: Found) -> list[dict[str, Any]]:
    """The matches below the run that they are of."""
    return [
        {**row_of(matches[0].run), "calls": [_told(match) for match in matches], "more": found.more.get(pk, 0)}
        for pk, group in groupby(found.matches, key=lambda match: match.run.pk)
        if (matches := list(group))
    ]


def _told(match: Match) -> dict[str, Any]:
    return {"match": match, "at": from_ms(match.at)}
