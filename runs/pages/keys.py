"""A user's own keys and tokens for the API: what there is, adding one, and revoking one."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from runs.api import keys, tokens
from runs.api.naming import NAME_MAX
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.errors import BadInput
from runs.models import ApiKey, ApiToken

DAYS = {"30": "in 30 days", "90": "in 90 days", "365": "in a year", "never": "never"}
KINDS: dict[str, type[ApiKey] | type[ApiToken]] = {"key": ApiKey, "token": ApiToken}


class TokenForm(forms.Form):
    """What a token is given; the fields of a key have a prefix of their own, as both forms are on one page."""

    name = forms.CharField(max_length=NAME_MAX, help_text="What it is for, or where it is kept.")
    role = forms.ChoiceField(choices=Role.choices, initial=Role.READER, help_text="It can never do more than you may.")
    days = forms.ChoiceField(choices=list(DAYS.items()), initial="90", label="Expires")

    def given(self) -> tuple[str, Role, Any]:
        """Name, role and the time at which it expires."""
        days = self.cleaned_data["days"]
        expires_at = timezone.now() + timedelta(days=int(days)) if days.isdigit() else None
        return self.cleaned_data["name"], Role(self.cleaned_data["role"]), expires_at


class KeyForm(TokenForm):
    public_key = forms.CharField(
        max_length=2000,
        label="Public key",
        widget=forms.Textarea({"rows": 3, "class": "code", "spellcheck": "false", "autocapitalize": "off"}),
        help_text="A line <code>ssh-ed25519 AAAA…</code>, or the 32 bytes of an Ed25519 key as hex or base64. The"
        " private key stays with you.",
    )
    field_order = ("public_key", "name", "role", "days")


@login_required
def key_list(request: HttpRequest) -> HttpResponse:
    """GET shows all; POST registers a key, or makes a token, whose text is in this answer and nowhere else."""
    key_form, token_form = KeyForm(prefix="key"), TokenForm(prefix="token")
    if request.method != "POST":
        return _page(request, key_form, token_form)
    if "make" in request.POST:
        token_form = TokenForm(request.POST, prefix="token")
        if text := _made(request, token_form):
            return _page(request, key_form, TokenForm(prefix="token"), made=text)
    else:
        key_form = KeyForm(request.POST, prefix="key")
        if _registered(request, key_form):
            return redirect("key-list")
    return _page(request, key_form, token_form, status=422)


@login_required
def key_revoke(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """GET asks, POST revokes; of one's own."""
    row = KINDS[kind].objects.filter(pk=pk, user=_user(request)).first() if kind in KINDS else None
    if row is None:
        raise Http404("You have no such key or token.")
    if request.method != "POST":
        return render(request, "account/revoke.html", {"kind": kind, "row": row, "here": "keys"})
    revoked = revoke(row, request.user)
    if revoked:
        messages.success(request, f"Revoked the {kind} {row.name}. What it has done stays.")
    else:
        messages.info(request, f"The {kind} {row.name} was revoked before.")
    return redirect("key-list")


def _registered(request: HttpRequest, form: KeyForm) -> bool:
    if not form.is_valid():
        return False
    name, role, expires_at = form.given()
    try:
        row = keys.register(_user(request), form.cleaned_data["public_key"], name, role, expires_at, request.user)
    except BadInput as refused:
        form.add_error("public_key", str(refused))
        return False
    messages.success(request, f"Registered the key {row.name}: {row.fingerprint}.")
    return True


def _made(request: HttpRequest, form: TokenForm) -> str:
    """The text of a new token; "" where the form says what is wrong."""
    if not form.is_valid():
        return ""
    try:
        return tokens.make(_user(request), *form.given(), request.user)[1]
    except BadInput as refused:
        form.add_error("name", str(refused))
        return ""


def _user(request: HttpRequest) -> User:
    """Who is signed in: the views are for nobody else."""
    return cast("User", request.user)


def _page(
    request: HttpRequest, key_form: KeyForm, token_form: TokenForm, *, made: str = "", status: int = 200
) -> HttpResponse:
    now = timezone.now()
    groups = [
        (
            kind,
            [{"row": row, "state": row.state(now)} for row in rows.objects.filter(user=_user(request)).order_by("-pk")],
        )
        for kind, rows in KINDS.items()
    ]
    context = {"here": "keys", "groups": groups, "key_form": key_form, "token_form": token_form, "made": made}
    response = render(request, "account/keys.html", context, status=status)
    add_never_cache_headers(response)
    return response
