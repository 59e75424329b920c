"""The realm: a deterministic QuickJS VM, its prelude, and the protocol between it and the host.

Nothing here knows Django, a database or a journal. The realm asks (messages), the host answers (deliveries).
"""

from runs.realm.errors import FuelExhausted, OutOfMemory, RealmError, ScriptFault, SliceCutShort
from runs.realm.protocol import Leftovers, Limits, Message, Table, Told
from runs.realm.realm import REALM_VERSION, Realm

__all__ = [
    "REALM_VERSION", "FuelExhausted", "Leftovers", "Limits", "Message", "OutOfMemory", "Realm", "RealmError",
    "ScriptFault", "SliceCutShort", "Table", "Told",
]  # fmt: skip
