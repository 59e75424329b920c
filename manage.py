#!/usr/bin/env python
"""Django's command line for Daybook; works from any folder."""

import os
import sys
from pathlib import Path


def main() -> None:
    for name in ("stdout", "stderr"):  # one that was closed (>&-) is None: what is written there goes nowhere
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  (until the end)
    # Last on the path: a folder named `platform` must never come before Python's own module of that name.
    sys.path.append(str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        if error.name != "django":
            raise
        sys.exit(
            "Django is not installed for this Python: run `make run` once, then use .venv/bin/python manage.py ..."
        )
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
