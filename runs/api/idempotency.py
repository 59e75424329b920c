"""A change is made once for each `clientRequestId` of a user: the answer is kept in the transaction of the change, and
given again for the same fields."""

import hashlib
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError
from django.utils import timezone

from journal import codec
from runs.api import wire
from runs.api.errors import ApiError
from runs.api.sweeping import Sweep
from runs.errors import BadInput
from runs.models import ApiRequest
from runs.starting import check_text

ID_MAX = 255  # characters
KEPT = timedelta(days=8)  # a week is promised
_sweep = Sweep(every=100, batch=500)


class Raced(Exception):
    """The same id was used at the same time, and its answer is kept; what was about to be changed is rolled back."""


class Keeper:
    """Of one request: `found` gives the kept answer, `also` keeps one."""

    def __init__(self, user: User, client_request_id: Any, action: str, fields: dict[str, Any]) -> None:
        self._user = user
        self._id = _checked(client_request_id)
        self._action = action
        self._sha256 = hashlib.sha256(wire.canonical(fields)).digest()
        self._row: ApiRequest | None = None

    def found(self) -> tuple[int, dict[str, Any]] | None:
        """Status and answer that are kept under this id. Raises `ApiError` where it stands for something else."""
        row = ApiRequest.objects.filter(user=self._user, client_request_id=self._id).first()
        if row is None:
            return None
        if row.action != self._action or bytes(row.fields_sha256) != self._sha256:
            raise ApiError(
                "request-id-reused",
                "this clientRequestId stands for another request; take a new one for each change",
            )
        return row.status, codec.decode(bytes(row.answer))

    def also(self, status: int, answer: dict[str, Any]) -> None:
        """Keeps them, in the transaction of the change, which `Raced` undoes; once, however often it is called."""
        if self._row is not None and ApiRequest.objects.filter(pk=self._row.pk).exists():
            return
        row = ApiRequest(
            user=self._user,
            client_request_id=self._id,
            action=self._action,
            fields_sha256=self._sha256,
            status=status,
            answer=codec.encode(answer),
        )
        try:
            row.save(force_insert=True)
        except IntegrityError:
            raise Raced from None
        self._row = row

    def settled(self, status: int, answer: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """What was kept with the change; or these, kept now, where there was nothing to change."""
        if self._row is None:
            self.also(status, answer)
        _sweep(ApiRequest.objects.filter(created_at__lt=timezone.now() - KEPT).order_by("created_at"))
        assert self._row is not None, "it has just been kept"
        return self._row.status, codec.decode(bytes(self._row.answer))


def _checked(value: Any) -> str:
    """Raises `ApiError` for what cannot be an id."""
    if not isinstance(value, str) or not 1 <= len(value) <= ID_MAX:
        raise ApiError("invalid-input", f"clientRequestId is a text of 1 to {ID_MAX} characters")
    try:
        check_text(value, "clientRequestId")
    except BadInput as refused:
        raise ApiError(refused.code, str(refused)) from None
    return value
