"""A served installation in a temporary folder, for the programs here that are no tests: pictures and figures."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from browser.site import Site

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent


@contextlib.contextmanager
def served(**environ: str) -> Iterator["Site"]:
    """The site, running; `environ` may name its databases, which have to be empty."""
    with tempfile.TemporaryDirectory(prefix="daybook-site-") as folder:
        os.environ |= {"DAYBOOK_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"} | environ
        sys.path[:0] = [str(TESTS), str(ROOT)]
        # Last, as in manage.py: Python's own module `platform` stays first.
        sys.path.append(str(ROOT / "platform"))
        import django

        django.setup()
        from browser.site import Site

        site = Site(Path(folder), **environ)
        try:
            site.manage("migrate", "--verbosity", "0")
            site.begin()
            yield site
        finally:
            site.close()
