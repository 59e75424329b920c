"""The filters of the list, as its form and its address have them: `?status=failed&q=invoice&started=24h`."""

from datetime import timedelta
from urllib.parse import urlencode

from django import forms
from django.utils import timezone

from runs.finding import Asked
from runs.lifecycle import WAITS_ON, Status

RANGES = {
    "1h": ("the last hour", timedelta(hours=1)),
    "24h": ("the last 24 hours", timedelta(hours=24)),
    "7d": ("the last 7 days", timedelta(days=7)),
    "30d": ("the last 30 days", timedelta(days=30)),
}
STATUS_CHOICES = [("", "any status"), *((s.value, s.value) for s in Status)]
WAITING = {"signal": "a signal", "timer": "a timer", "child": "a child", "retry": "another try"}
assert set(WAITING) == set(WAITS_ON.values())


class Filters(forms.Form):
    """`cleaned_data` holds "" or False for what is not asked for."""

    use_required_attribute = False

    status = forms.ChoiceField(choices=STATUS_CHOICES, required=False)
    q = forms.CharField(label="Search", max_length=200, required=False)
    script = forms.CharField(label="Script", max_length=91, required=False)
    waiting = forms.ChoiceField(label="Waiting on", choices=[("", "anything"), *WAITING.items()], required=False)
    started = forms.ChoiceField(
        label="Started in",
        choices=[("", "any time"), *((k, words) for k, (words, _) in RANGES.items())],
        required=False,
    )
    code = forms.CharField(
        label="Error code", max_length=64, required=False, widget=forms.TextInput(attrs={"list": "codes"})
    )
    children = forms.BooleanField(label="Children too", required=False)
    mine = forms.BooleanField(label="Only my own", required=False)
    before = forms.RegexField(regex=r"\A[0-9a-z]{26}\Z", required=False)

    def asked(self) -> dict[str, str]:
        """What the form was given and holds something, page aside: the parameters of an address."""
        names = [name for name in self.fields if name != "before"]
        return {name: self.data[name] for name in names if self.data.get(name)}

    def narrowed(self) -> bool:
        """Whether one of the fields that a small screen folds away is in use, or wrong."""
        return any(name in self.asked() for name in ("script", "waiting", "started", "code"))

    def address(self, **changes: str) -> str:
        """The address of the list with these filters but for the changes; "" takes one away."""
        given = self.asked() | changes
        asked = {name: given[name] for name in self.fields if given.get(name)}
        return f"?{urlencode(asked)}" if asked else "?"

    def words(self) -> str:
        """The filters as a person says them: 'failed, with "invoice", started in the last hour'; "" for none."""
        given = self.cleaned_data
        said = [given["status"]] if given["status"] else []
        said += [f"waiting on {WAITING[given['waiting']]}"] if given["waiting"] else []
        said += [f"with “{given['q']}”"] if given["q"] else []
        said += [f"of the script {given['script']}"] if given["script"] else []
        said += [f"started in {RANGES[given['started']][0]}"] if given["started"] else []
        said += [f"failed with {given['code']}"] if given["code"] else []
        return ", ".join(said)

    def wanted(self, user_id: int | None) -> Asked:
        """The same as what is looked for."""
        given = self.cleaned_data
        return Asked(
            status=given["status"],
            script=given["script"],
            waiting=given["waiting"],
            code=given["code"],
            since=timezone.now() - RANGES[given["started"]][1] if given["started"] else None,
            text=given["q"],
            roots=not given["children"],
            owner=user_id if given["mine"] else None,
        )

    def searches(self) -> bool:
        """Whether runs are looked at one by one, and not only counted by an index."""
        return any(self.cleaned_data[name] for name in ("q", "script", "waiting", "code"))

    def clean_script(self) -> str:
        script: str = self.cleaned_data["script"]
        number = script.partition("@")[2]
        if "@" in script and not (number.isascii() and number.isdigit() and len(number) < 10):
            raise forms.ValidationError("Write a name, or a name and a version, such as report@3.")
        return script
