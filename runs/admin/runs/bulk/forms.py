"""What is asked before something is done to many runs."""

from typing import Any

from django import forms

from runs.ids import is_id
from runs.pages.forms import Once, Reason, SignalForm


class BulkForm(forms.Form):
    """`once` names this showing of the page; `before`, `done` and `left` are where it stands after some batches."""

    use_required_attribute = False

    reason = Reason()
    once = Once()
    before = forms.CharField(required=False, widget=forms.HiddenInput)
    done = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    left = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def clean_before(self) -> str:
        before: str = self.cleaned_data["before"]
        return before if is_id(before) else ""

    def clean_once(self) -> str:
        """Without one nothing tells a repetition from something new."""
        once: str = self.cleaned_data["once"]
        if not once.isalnum():
            raise forms.ValidationError("Open the page again from the list: it was sent without its token.")
        return once

    def asked(self) -> list[Any]:
        """The fields that people fill in."""
        return self.visible_fields()


class BulkDeleteForm(BulkForm):
    reason = Reason("It stands in the log, beside your name; the activity of the runs goes with them.")


class BulkSignalForm(BulkForm):
    name = SignalForm.base_fields["name"]
    payload = SignalForm.base_fields["payload"]

    field_order = ("name", "payload", "reason")
