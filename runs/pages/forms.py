"""The fields that people fill in. What is refused stays in the field, with the reason beside it."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

from django import forms

from runs import json_text
from runs.audit import REASON_MAX
from runs.errors import BadInput, BadSource, Refused
from runs.lint import Finding
from runs.reading.cutting import printable
from runs.starting import check_input, check_source, check_title


def as_text(value: Any) -> str:
    """A JSON value as people edit it."""
    return printable(json.dumps(value, indent=2, ensure_ascii=False))


def unix_lines(text: str) -> str:
    """Browsers send every line end as CR LF."""
    return text.replace("\r\n", "\n")


def read_json(text: str) -> Any:
    """The value in a field; the message of a `BadInput` stands beside it, and so names no field."""
    try:
        return check_input(json_text.parse(unix_lines(text), ""))
    except json_text.NotJson as refused:
        raise BadInput(refused.reason[:1].upper() + refused.reason[1:]) from None


class JsonField(forms.CharField):
    """JSON in a text area; `cleaned_data` has the value, None where it was left empty."""

    def __init__(self, *, rows: int = 6, **options: Any) -> None:
        attrs = {"rows": rows, "class": "code", "spellcheck": "false", "autocapitalize": "off", "data-json": ""}
        super().__init__(required=False, strip=False, widget=forms.Textarea(attrs=attrs), **options)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return read_json(text) if text.strip() else None
        except Refused as refused:
            raise forms.ValidationError(str(refused)) from None


class SourceField(forms.CharField):
    """A script, checked by lint; `findings` of the form has what it says."""

    def __init__(self, **options: Any) -> None:
        attrs = {"rows": 22, "class": "code", "spellcheck": "false", "autocapitalize": "off", "data-source": ""}
        super().__init__(strip=False, required=False, widget=forms.Textarea(attrs=attrs), **options)


class Once(forms.CharField):
    """A token of one showing of a form, so that a double click does one thing."""

    def __init__(self) -> None:
        super().__init__(required=False, max_length=64, widget=forms.HiddenInput, initial=secrets.token_hex)


class Reason(forms.CharField):
    """Why an operator does it, for those who come after."""

    def __init__(self, help_text: str = "It stands in the run's activity, beside your name.") -> None:
        super().__init__(label="Reason", required=False, max_length=REASON_MAX, help_text=help_text)


class SourceForm(forms.Form):
    """Base of the forms with a source."""

    use_required_attribute = False
    findings: Sequence[Finding] = ()

    source = SourceField(label="Script")

    def clean_source(self) -> str:
        source = unix_lines(self.cleaned_data["source"])
        if not source.strip():
            raise forms.ValidationError("Write a script, or begin with an example.")
        try:
            check_source(source)
        except BadSource as refused:
            self.findings = refused.findings
            count = len(self.findings)
            told = f"The script has {count} {'error' if count == 1 else 'errors'}." if count else str(refused)
            raise forms.ValidationError(told) from None
        return source


def digest(*told: object) -> str:
    """Of what was sent, for keys that make a repetition harmless."""
    text = json.dumps(told, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class StartForm(SourceForm):
    """What `/runs/new` sends. `once` is of one showing of the form: sending it twice starts one run."""

    title = forms.CharField(max_length=200, required=False, help_text="What people see of the run in lists.")
    input = JsonField(label="Input", help_text="JSON; what the script gets as <code>input</code>. Empty is null.")
    script = forms.CharField(required=False, widget=forms.HiddenInput)
    once = Once()

    def clean_title(self) -> str:
        try:
            return check_title(self.cleaned_data["title"])
        except Refused as refused:
            raise forms.ValidationError(str(refused)) from None

    def key(self, user_id: int | None) -> str | None:
        """The idempotency key of what was sent: of this form, with this content. The same form with another source,
        after a step back in the browser, is another run."""
        if not self.cleaned_data["once"]:
            return None
        told = [self.data.get(name, "") for name in ("once", "source", "input", "title")]
        return f"form-{digest(user_id, *told)}"


class SignalForm(forms.Form):
    """An answer to the wait `wait_id`, or a signal for whichever wait takes its name."""

    use_required_attribute = False

    wait_id = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    name = forms.CharField(
        label="Name of the signal",
        max_length=200,
        error_messages={"required": "Give the signal a name: the one that the script waits for."},
    )
    payload = JsonField(help_text="JSON; what the script gets as <code>payload</code>. Empty is null.")
    reason = Reason()
    once = Once()

    def key(self, user_id: int | None, run_id: str) -> str | None:
        """The dedup id. A wait is answered once, so an answer needs no token of its form."""
        given = self.cleaned_data
        if not (given["once"] or given["wait_id"]):
            return None
        told = [self.data.get(name, "") for name in ("once", "wait_id", "name", "payload")]
        return f"form-{digest(user_id, run_id, *told)}"
