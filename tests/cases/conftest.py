"""What the cases share; see fixtures.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cases.fixtures import engine, house, postgres_template, services_environ  # noqa: F401
