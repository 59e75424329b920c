"""Keys and tokens of all users: registering, making and revoking them. Rows are written by `runs.api` alone, never by
hand, and none is deleted: a revoked one says whose it was."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from runs.api import keys, public_keys, tokens
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.errors import BadInput
from runs.models import ApiKey, ApiToken
from runs.models.api import Credential

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Any]
    Form = forms.ModelForm[Any]
else:
    Base = admin.ModelAdmin
    Form = forms.ModelForm


GIVEN = ("user", "name", "role", "expires_at")


class CredentialForm(Form):
    """A user is named, which takes no right to look at users; the time is one field, with the picker of the browser."""

    user = forms.ModelChoiceField(
        User.objects.filter(is_active=True),
        to_field_name="username",
        widget=forms.TextInput({"autocapitalize": "off", "spellcheck": "false"}),
        help_text="The name of the user whose it is to be.",
        error_messages={"invalid_choice": "There is no such user who may sign in."},
    )
    expires_at = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text="UTC; never, if nothing is given.",
    )

    by: User  # who fills it in

    class Meta:
        fields = GIVEN

    def clean_user(self) -> User:
        """One's own, or those of who may do no more than oneself: a credential of an administrator makes one."""
        user: User = self.cleaned_data["user"]
        if user.pk != self.by.pk and not user.get_all_permissions() <= self.by.get_all_permissions():
            raise forms.ValidationError("This user may do more than you, and so could you with this: ask one who may.")
        return user

    def clean_expires_at(self) -> Any:
        at = self.cleaned_data["expires_at"]
        if at is not None and at <= timezone.now():
            raise forms.ValidationError("That time is over.")
        return at


class KeyForm(CredentialForm):
    text = forms.CharField(
        label="Public key",
        widget=forms.Textarea({"rows": 3}),
        help_text="A line ssh-ed25519 AAAA…, or the 32 bytes of an Ed25519 key as hex or base64.",
    )

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        try:
            key = public_keys.read(text)
        except BadInput as refused:
            raise forms.ValidationError(str(refused)) from None
        if ApiKey.objects.filter(public_key=key).exists():
            raise forms.ValidationError("This key is registered, or was before it was revoked.")
        return text


class CredentialAdmin(Base):
    """One is added and revoked, and nothing of it is ever changed."""

    list_filter = ("role",)
    list_select_related = ("user",)
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    actions = ("revoke_chosen",)
    facts: tuple[str, ...] = ()
    pasted: tuple[str, ...] = ()

    @admin.display(description="role", ordering="role")
    def may(self, row: Credential) -> str:
        return row.role

    @admin.display(description="state")
    def stands(self, row: Credential) -> str:
        return row.state(timezone.now())

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """What the form has let pass may be refused all the same, as a key that somebody registers at this moment."""
        try:
            return super().add_view(request, form_url, extra_context)
        except BadInput as refused:
            text = str(refused)
            messages.error(request, f"{text[:1].upper()}{text[1:]}.")
            return HttpResponseRedirect(request.get_full_path())

    def get_fields(self, request: HttpRequest, obj: Credential | None = None) -> Any:
        shown = (*self.facts, "created_at", "last_used_at", "stands", "revoked_at")
        return (*GIVEN, *(self.pasted if obj is None else shown))

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **how: Any) -> Any:
        made = super().get_form(request, obj, change, **how)
        return type(made.__name__, (made,), {"by": request.user})

    def has_change_permission(self, request: HttpRequest, obj: Credential | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Credential | None = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """It takes the permission to change such a row."""
        return super().has_change_permission(request)

    @admin.action(description="Revoke the chosen", permissions=["revoke"])
    def revoke_chosen(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        done = sum(revoke(row, request.user) for row in rows.filter(revoked_at=None))
        messages.success(request, f"Revoked {done} of {rows.count()}; the others were so before.")

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Done where the row is written."""


@admin.register(ApiKey)
class ApiKeyAdmin(CredentialAdmin):
    form = KeyForm
    list_display = ("name", "user", "may", "fingerprint", "stands", "expires_at", "last_used_at")
    search_fields = ("name", "user__username", "fingerprint")
    facts = ("fingerprint",)
    pasted = ("text",)

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        given = form.cleaned_data
        kept = keys.register(
            given["user"], given["text"], given["name"], Role(given["role"]), given["expires_at"], request.user
        )
        obj.pk = kept.pk


@admin.register(ApiToken)
class ApiTokenAdmin(CredentialAdmin):
    form = CredentialForm
    list_display = ("name", "user", "may", "public_id", "stands", "expires_at", "last_used_at")
    search_fields = ("name", "user__username", "public_id")
    facts = ("public_id",)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        given = form.cleaned_data
        kept, text = tokens.make(given["user"], given["name"], Role(given["role"]), given["expires_at"], request.user)
        obj.pk, obj.public_id = kept.pk, kept.public_id
        obj.text = text

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None) -> HttpResponse:
        """The page with its text: a redirect would have to keep that somewhere."""
        frame = {**admin.site.each_context(request), "title": "Token made", "token": obj, "opts": self.opts}
        response = TemplateResponse(request, "admin/runs/apitoken/made.html", frame)
        add_never_cache_headers(response)
        return response
