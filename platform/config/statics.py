"""Static files at addresses that change with their contents, so that a browser may keep them for good.

One hash over all of them is part of each address: /static/1f0c2a9b7d3e/runs/js/run.js. What a file names by a path from
itself (a module what it imports, a style its pictures) has the hash too, with nothing rewritten, and no collectstatic
stands between clone and page. The plain address works as well, and is looked at again after a minute.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

_DIGITS = 12
_HASHED = re.compile(rf"([0-9a-f]{{{_DIGITS}}})/(.+)", re.DOTALL)


class HashedAddresses(StaticFilesStorage):
    """What `{% static %}` writes; plain addresses under DEBUG, where files change while the server runs."""

    def url(self, name: str | None) -> str:
        return super().url(name if settings.DEBUG else f"{contents_hash()}/{name}")


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # publishes no types
    """Whitenoise, which also serves what has a hash before it.

    One of another version gets what there is now, and not for good: while several hosts are being upgraded, the page of
    one may ask another.
    """

    files: dict[str, StaticFile]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not (address := self._hashed(request.path_info)):
            return super().__call__(request)  # type: ignore[no-any-return]
        version, plain = address
        response: HttpResponseBase = self.serve(self.files[plain], request)
        if version == contents_hash():
            response.headers["Cache-Control"] = f"max-age={self.FOREVER}, public, immutable"
        return response

    def _hashed(self, path: str) -> tuple[str, str] | None:
        """The hash in a path, and the address without it; None where there is no such file."""
        if not path.startswith(self.static_prefix):
            return None
        found = _HASHED.fullmatch(path, len(self.static_prefix))
        plain = f"{self.static_prefix}{found[2]}" if found else ""
        return (found[1], plain) if found and plain in self.files else None

    def add_files_from_finders(self) -> None:
        """Once for the process: the files are part of the installation, and there are hundreds."""
        if not _served:
            super().add_files_from_finders()
            _served.update(self.files)
        self.files = _served


_served: dict[str, StaticFile] = {}


@cache
def contents_hash() -> str:
    """Of the names and contents of all static files: the same on every host that has the same."""
    paths = {
        name: storage.path(name)
        for finder in reversed(list(finders.get_finders()))
        for name, storage in finder.list(None)
    }
    whole = hashlib.blake2b(digest_size=_DIGITS // 2)
    for name, path in sorted(paths.items()):
        contents = Path(path).read_bytes()
        whole.update(f"{name}\0{len(contents)}\0".encode())
        whole.update(contents)
    return whole.hexdigest()
