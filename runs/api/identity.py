"""Who calls: by a signed message or by a token. Whatever is wrong with who it is, the answer is the same."""

import logging
import time
from datetime import timedelta
from typing import NoReturn

from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.utils import timezone

from runs.api import envelope, keys, limits, nonces, tokens
from runs.api.caller import Caller
from runs.api.envelope import Envelope
from runs.api.errors import ApiError
from runs.api.roles import Role
from runs.models import ApiKey, ApiToken

log = logging.getLogger("runs.access")
_MINUTE = timedelta(minutes=1)
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="daybook"'}


def by_signature(data: bytes, place: str) -> tuple[Caller, Envelope]:
    """Who has signed the message, and what it says; `place` is where it comes from, as `runs.visitors` says it. Its
    nonce is then used. Raises `ApiError`.

    The signature is checked first, by the key that the message names: without a private key nobody comes as far as the
    database, and without that of a registered one no large message is even read."""
    try:
        if len(data) > envelope.SMALL:
            _good_key(envelope.claimed(data))
        message = envelope.opened(data)
        key = _good_key(message.signer)
    except ApiError as error:
        if error.code == "bad-signature":
            _refuse(error, place)
        raise
    if key.user.get_username() != message.account:
        _refuse(ApiError("wrong-account", "the key is not one of that account; sign with its own name"), place)
    envelope.check_time(message, time.time_ns() // 1_000_000)
    caller = _caller(key)
    limits.check_rate(caller.via)
    nonces.use(key, message)
    return caller, message


def by_token(header: str, place: str) -> Caller:
    """Whose token stands in the header `Authorization`; raises `ApiError`."""
    kind, _, text = header.strip().partition(" ")
    token = tokens.find(text.strip()) if kind.lower() == "bearer" else None
    if token is None or not token.is_good(timezone.now()):
        words = "send the header `Authorization: Bearer daybook_...` with a token that is neither revoked nor expired"
        _refuse(ApiError("bad-token", words, headers=_CHALLENGE), place)
    caller = _caller(token)
    limits.check_rate(caller.via)
    return caller


def still(caller: Caller) -> Caller | None:
    """The same caller as of now, for who stays connected; None once the key or token or its user is no longer good."""
    row = _rows(caller).first()
    return _caller(row) if row is not None and row.is_good(timezone.now()) else None


def note_use(caller: Caller) -> None:
    """Writes down that it was used, at most once a minute; whatever goes wrong is no fault of the request."""
    now = timezone.now()
    if caller.last_used_at is not None and caller.last_used_at > now - _MINUTE:
        return
    unless_noted = Q(last_used_at=None) | Q(last_used_at__lte=now - _MINUTE)
    try:
        _rows(caller).filter(unless_noted).update(last_used_at=now)
    except DatabaseError as error:
        log.info("the last use of %s is not written down: %s", caller.via, error)


def _good_key(signer: bytes) -> ApiKey:
    key = keys.find(signer)
    if key is None or not key.is_good(timezone.now()):
        raise envelope.bad_signature()
    return key


def _caller(row: ApiKey | ApiToken) -> Caller:
    return Caller(row.user, Role(row.role), row.via, row.pk, row.last_used_at)


def _rows(caller: Caller) -> QuerySet[ApiKey] | QuerySet[ApiToken]:
    rows = ApiKey.objects if caller.via.startswith("key ") else ApiToken.objects
    return rows.select_related("user").filter(pk=caller.credential_id)


def _refuse(error: ApiError, place: str) -> NoReturn:
    """So many of a place are told what is wrong, and stand in the log; those beyond have to wait."""
    limits.check_refusals(place)
    log.warning("refused user=- verb=api run=- (%s, from %s)", error.code, place)
    raise error
