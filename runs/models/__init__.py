"""The tables of runs."""

from runs.models.api import ApiKey, ApiNonce, ApiRequest, ApiToken
from runs.models.key import ConcurrencyKey
from runs.models.message import Message
from runs.models.run import Run
from runs.models.script import Script, ScriptVersion
from runs.models.source import Source
from runs.models.store import StoreItem

__all__ = [
    "ApiKey",
    "ApiNonce",
    "ApiRequest",
    "ApiToken",
    "ConcurrencyKey",
    "Message",
    "Run",
    "Script",
    "ScriptVersion",
    "Source",
    "StoreItem",
]
