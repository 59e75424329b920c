"""The secret key of an installation that names none: made once, kept in a file that only its owner may read."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path


def secret_key(path: Path) -> str:
    """The key kept at `path`; made there first when there is none, also when several processes start at once."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp gives mode 600; link() fails when another process was first, and never shows a half-written file.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix="secret-key-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(64) + "\n")
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        Path(draft).unlink()
    return path.read_text(encoding="ascii").strip()
