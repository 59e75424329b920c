"""Exports runs of this version as files beside this one, for `test_exports.py` to import and replay for ever after.

    python tests/histories/export.py        # those that are new; a file that exists is never replaced

The runs are lived on a database of their own, in a folder that is gone afterwards.
"""

import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
_TESTS = [ROOT / "tests" / "runs" / name for name in ("portable", "operations", "host")]
sys.path[:0] = [str(path) for path in (ROOT, ROOT / "platform", *_TESTS)]
SEED = 6


def main() -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from files import exported
    from going import define_tools
    from lives import KINDS, lives

    from runs.portable.format import VERSION
    from runs.tools import registered

    call_command("migrate", verbosity=0)
    with registered():
        define_tools()
        for kind, run in lives(len(KINDS), seed=SEED):
            keep(HERE / f"export{VERSION}-{kind}.daybook", exported(run.root_id, tree=True, deeds=True))
            if kind == "signaled":
                redact = ["calls.*.payload.n", "inbox.*.payload"]
                keep(HERE / f"export{VERSION}-redacted.daybook", exported(run, redact=redact))


def keep(path: Path, data: bytes) -> None:
    if path.exists():
        print(f"{path.name} is there already and stays as it is")
        return
    path.write_bytes(data)
    print(f"{path.name}: {len(data)} bytes")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DAYBOOK_DATA_DIR": folder, "LOG_LEVEL": "WARNING"}
        main()
