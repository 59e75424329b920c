"""Files that commands write: whole or not at all, and none is overwritten unless that was said."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from runs.errors import BadInput


@contextmanager
def written(name: str, *, force: bool) -> Iterator[BinaryIO]:
    """A file that has that name once the block is through, and is gone where it was left otherwise. Only its owner may
    read it. Raises `BadInput` where the name is taken, or nothing can be written there."""
    path = Path(name)
    if path.is_dir():
        raise BadInput(f"{name} is a directory; name a file in it")
    if path.exists() and not force:
        raise _taken(name)
    try:
        handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise BadInput(f"{name} cannot be written: {error.strerror}") from None
    temporary = Path(made)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _name(temporary, path, force=force)
    except OSError as error:
        raise BadInput(f"{name} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def _name(temporary: Path, path: Path, *, force: bool) -> None:
    """A link takes no name that somebody else has taken meanwhile; not every file system has links."""
    if force:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _taken(str(path)) from None
    except OSError:
        temporary.rename(path)


def _taken(name: str) -> BadInput:
    return BadInput(f"{name} is there already; give another name, or --force to overwrite it")
