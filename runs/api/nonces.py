"""A signed message is taken once, by whichever web process it comes to, also after a restart: its nonce is written
down before anything else is done for it."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from runs.api.envelope import WINDOW_MS, Envelope
from runs.api.errors import ApiError
from runs.api.sweeping import Sweep
from runs.models import ApiKey, ApiNonce
from runs.times import from_ms

# Beyond the time for which the message is taken; clocks of hosts differ.
SPARE = timedelta(seconds=60)
_sweep = Sweep(every=50, batch=500)


def use(key: ApiKey, envelope: Envelope) -> None:
    """Raises `ApiError` where the nonce was used with this key before. One commit."""
    forget_at = from_ms(envelope.ts + WINDOW_MS) + SPARE
    try:
        with transaction.atomic():
            ApiNonce.objects.create(key=key, nonce=envelope.nonce, expires_at=forget_at)
    except IntegrityError:
        raise ApiError(
            "replayed", "a message with this nonce was taken before; sign a new one, with the same clientRequestId"
        ) from None
    _sweep(ApiNonce.objects.filter(expires_at__lt=timezone.now()).order_by("expires_at"))
