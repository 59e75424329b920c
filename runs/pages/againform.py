"""The form of retry, rewind, fork, and fix and continue."""

from dataclasses import dataclass
from typing import Any, Self

from django import forms
from django.http import QueryDict

from runs.lifecycle import Status
from runs.models import Run
from runs.operations.children import CANCEL, KEEP
from runs.pages.forms import JsonField, Once, Reason, SourceForm, digest, unix_lines

RETRY, REWIND, FORK = "retry", "rewind", "fork"
_HOW = {
    RETRY: "Retry: the failing call again, all else from the journal",
    REWIND: "Rewind: one call and all after it again",
    FORK: "Fork: a new run from one call on; this one stays as it is",
}
_CHILDREN = [(KEEP, "Let them go on by themselves"), (CANCEL, "Cancel them")]
_ASKED = {"retry": [RETRY, REWIND], "fork": [FORK], "fix": [RETRY, REWIND, FORK]}


@dataclass(frozen=True, slots=True)
class Given:
    """A value that was given, which may be null."""

    value: Any


class ResultField(JsonField):
    """`Given(value)`, or None where nothing is given: the call then is executed."""

    def clean(self, value: Any) -> Given | None:
        return Given(super().clean(value)) if value and value.strip() else None


class AgainForm(SourceForm):
    """`page` is retry, fork or fix. The `source` is that of the run where the page does not ask for another."""

    how = forms.ChoiceField(label="How", widget=forms.RadioSelect)
    call = forms.IntegerField(
        label="From call",
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        error_messages={"required": "Give the number of the call."},
    )
    result = ResultField(
        label="Another result for that call",
        rows=3,
        help_text="JSON; what the call gave; of a wait, the payload of its signal. Empty: the call is executed.",
    )
    children = forms.ChoiceField(
        label="Live children",
        choices=_CHILDREN,
        required=False,
        widget=forms.RadioSelect,
    )
    reason = Reason()
    attempt = forms.IntegerField(widget=forms.HiddenInput, required=False)
    once = Once()

    field_order = ("how", "call", "result", "source", "children")

    def __init__(self, page: str, run: Run, data: QueryDict | dict[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.page, self.run = page, run
        self.fields["attempt"].initial = run.attempt
        choices = [how for how in _ASKED[page] if _possible(how, run)] or _ASKED[page][:1]
        how = self.fields["how"]
        assert isinstance(how, forms.ChoiceField)
        how.choices = [(name, _HOW[name]) for name in choices]
        self.fields["how"].initial = choices[0]
        self.fields["call"].required = RETRY not in choices
        if RETRY in choices:
            self.fields["call"].help_text = (
                "Where a rewind or a fork begins."
                if page == "fix"
                else "Where a rewind begins, or the failed call to retry. Empty: the call that the run failed of."
            )
        if page == "fix":
            self.fields["result"].help_text = f"Only for a fork. {self.fields['result'].help_text}"
        if page != "fix":
            del self.fields["source"]
        elif run.source is not None:
            self.fields["source"].initial = run.source.text
        if page == "retry":
            del self.fields["result"]

    def offer_no_cancel(self) -> None:
        """To who may not cancel the run."""
        children = self.fields["children"]
        assert isinstance(children, forms.ChoiceField)
        children.choices = _CHILDREN[:1]

    @classmethod
    def opened(cls, page: str, run: Run, query: QueryDict) -> Self:
        """As a link opens it: `?how=rewind&call=7`. Bound, and so to be replayed, where it needs no more words;
        `&result=` says that there will be another result."""
        blank = cls(page, run)
        hows = [name for name, _ in blank.fields["how"].choices]  # type: ignore[attr-defined]
        call = query.get("call", "")
        how = query.get("how", REWIND if call and page == "retry" else hows[0])
        initial = {"how": how if how in hows else hows[0], "call": call}
        if page == "fix" or "result" in query or (initial["how"] != RETRY and not call):
            return cls(page, run, initial=initial | ({} if call else {"call": _failing(run)}))
        first = {"attempt": run.attempt, "once": blank["once"].value()}
        return cls(page, run, initial | first)

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        how = given.get("how")
        if how in (REWIND, FORK) and given.get("call") is None and "call" not in self.errors:
            self.add_error("call", "Give the number of the call.")
        if how != FORK and given.get("result") is not None:
            self.add_error("result", "Only a fork can give a call another result.")
        return given

    @property
    def edited(self) -> str | None:
        """The source, where it is another than the run's."""
        source: str | None = self.cleaned_data.get("source")
        same = self.run.source is None or unix_lines(self.run.source.text) == source
        return None if same else source

    def begun(self) -> bool:
        """Whether the attempt that the form was to begin is there already."""
        return bool(self.cleaned_data["how"] != FORK and self.cleaned_data["attempt"] == self.run.attempt - 1)

    @property
    def confirmed(self) -> bool:
        """Whether what was sent is what the dry replay has shown."""
        return self.data.get("shown") == self.shown()

    def shown(self) -> str:
        """Stands for what a dry replay was made of."""
        given = self.cleaned_data
        result = given.get("result")
        told = [given["how"], given["call"], given.get("source"), None if result is None else [result.value]]
        return digest(self.run.pk, self.run.attempt, *told)

    def key(self) -> str | None:
        """The idempotency key of a fork."""
        once = self.cleaned_data["once"]
        return f"form-{digest(once, self.shown())}" if once else None

    def verb(self) -> str:
        """What the button says."""
        how, call = self.cleaned_data["how"], self.cleaned_data["call"]
        retried = f"Retry call {call}" if call and self.page == "retry" else "Retry"
        said = {RETRY: retried, REWIND: f"Rewind to call {call}", FORK: f"Fork from call {call}"}[how]
        return f"{said} with this script" if self.edited is not None else said


def _possible(how: str, run: Run) -> bool:
    if run.is_copy and how != FORK:
        return False
    if how == RETRY:
        return run.status == Status.FAILED or (run.status == Status.WAITING and bool(run.error_code))
    return run.source is not None and (how == FORK or run.status not in (Status.QUEUED, Status.RUNNING))


def _failing(run: Run) -> int | None:
    return (run.error or {}).get("callSeq")
