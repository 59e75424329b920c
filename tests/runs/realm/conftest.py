"""Makes the host's `driving` importable: a realm is tested with a script in it, and the host runs that."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "host"))
