"""What is looked for: the filters of a list and its search, as one value that page, admin and API all make."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """Empty for what is not asked for. `script` is `name` or `name@3`; `waiting` one of signal, timer, child, retry;
    `code` that of the error, `tool` the one whose call the error came from; `sign` the slug of a `runs.health` sign.
    `since` and `until` go by the creation of the run. `text` is looked for in title and idempotency key; the beginning
    of an id or of a key finds its runs whatever their age. `roots`: no children. `owner`: of that user alone."""

    status: str = ""
    kind: str = ""
    script: str = ""
    waiting: str = ""
    code: str = ""
    tool: str = ""
    queue: str = ""
    schedule: str = ""
    sign: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    roots: bool = False
    owner: int | None = None
