"""Who may use the API, and what it has to remember: keys, tokens, the nonces of messages, the answers to changes."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q


class Role(models.TextChoices):
    """What a key or token may be used for, at most. Each includes those before it."""

    READER = "reader", "reader: look at runs, scripts and tools"
    OPERATOR = "operator", "operator: also signal, cancel, retry and fork"
    OWNER = "owner", "owner: also start runs, and go on with edited scripts"


class Credential(models.Model):
    """What keys and tokens have in common; `role` caps what the user's own permissions allow. None is deleted: the row
    of a revoked one stays, so that nobody registers it again and the log can say whose it was."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="%(class)ss")
    name = models.CharField(max_length=80, help_text="what it is for, or where it is kept")
    role = models.CharField(max_length=8, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False, help_text="to the minute")

    class Meta:
        abstract = True

    def state(self, at: datetime) -> str:
        """good, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= at else "good"

    def is_good(self, at: datetime) -> bool:
        """Neither revoked nor expired, and of a user who may sign in; reads `user`."""
        return self.state(at) == "good" and self.user.is_active


class ApiKey(Credential):
    """A public key by which messages of its user are verified; the private one is nowhere here."""

    public_key = models.BinaryField(max_length=32, unique=True, help_text="Ed25519, 32 bytes")
    fingerprint = models.CharField(max_length=50, help_text="as ssh-keygen -l shows it")

    class Meta:
        verbose_name = "API key"

    def __str__(self) -> str:
        return f"{self.name} ({self.fingerprint})"

    @property
    def via(self) -> str:
        """As the log names it."""
        return f"key {self.fingerprint}"


class ApiToken(Credential):
    """`daybook_<public_id>_<secret>`, of which only the SHA-256 of the secret is kept."""

    public_id = models.CharField(max_length=16, unique=True)
    secret_sha256 = models.BinaryField(max_length=32)
    text = ""  # all of it, while it is being made; not a column

    class Meta:
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"

    @property
    def via(self) -> str:
        """As the log names it."""
        return f"token {self.public_id}"


class ApiNonce(models.Model):
    """A message of that key that has been seen, for as long as its time would let it pass again."""

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="+")
    nonce = models.BinaryField(max_length=32)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "nonce"], name="api_nonce_once")]
        indexes = [models.Index(fields=["expires_at"], name="api_nonce_expires")]

    def __str__(self) -> str:
        return bytes(self.nonce).hex()


class ApiRequest(models.Model):
    """The answer to a change that its caller has given an id, written in the transaction of the change."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    client_request_id = models.CharField(max_length=255)
    action = models.CharField(max_length=40)
    fields_sha256 = models.BinaryField(max_length=32, help_text="of the canonical CBOR of the action's fields")
    status = models.PositiveSmallIntegerField(help_text="of HTTP")
    answer = models.BinaryField(help_text="CBOR")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "client_request_id"], name="api_request_once"),
            models.CheckConstraint(condition=Q(status__gte=200, status__lt=300), name="api_request_done"),
        ]
        indexes = [models.Index(fields=["created_at"], name="api_request_created")]

    def __str__(self) -> str:
        return f"{self.action} {self.client_request_id}"
