"""Files that earlier versions have exported are imported, replay, and are exported again as they were."""

import sys
from pathlib import Path

import cbor2
import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "runs" / name) for name in ("portable", "operations", "host")]

from files import exported  # noqa: E402

from runs.health.journals import check_all  # noqa: E402
from runs.models import Run  # noqa: E402
from runs.operations.verifying import AGREES, SKIPPED, verify  # noqa: E402
from runs.portable import import_file  # noqa: E402

FILES = sorted(HERE.glob("*.daybook"))
pytestmark = pytest.mark.django_db(transaction=True)


def test_there_are_exports_of_the_first_version_of_the_format() -> None:
    assert len([file for file in FILES if file.name.startswith("export1-")]) >= 16


def test_any_decoder_of_cbor_opens_one() -> None:
    head, *_, end, sha256 = cbor2.loads((HERE / "export1-tree.daybook").read_bytes()[3:])
    assert head[:2] == ["daybook.run", 1]
    assert end[0] == "end"
    assert len(sha256) == 32


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_export_is_imported_replays_and_is_exported_as_it_was(file: Path) -> None:
    made = import_file(file)
    tree = Run.objects.count() > 1 or cbor2.loads(file.read_bytes()[3:])[0][2]["tree"]
    assert made.runs == Run.objects.count()
    for run in Run.objects.all():
        found = verify(run.pk)
        assert found is not None
        assert found.outcome == (SKIPPED if made.redacted else AGREES), found
    assert [finding for checked in check_all() for finding in checked.findings] == []
    assert exported(made.root, tree=tree, deeds=True) == file.read_bytes()
