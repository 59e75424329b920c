"""From the database to a file: one run, or the whole tree that it is in, one run in memory at a time."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from journal import codec
from runs.errors import BadInput, NotPossible
from runs.models import Run
from runs.portable.facts import VALUES
from runs.portable.format import BEGIN, END, NAME, RUNS_MAX, VERSION, packed
from runs.portable.redaction import Redaction
from runs.portable.snapshot import Snapshot, snapshot, sources
from runs.realm import REALM_VERSION

Told = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """`sha256` in hex, of what stands in the file before it."""

    runs: int
    entries: int
    bytes: int
    sha256: str

    def as_dict(self) -> dict[str, Any]:
        return {"runs": self.runs, "entries": self.entries, "bytes": self.bytes, "sha256": self.sha256}


def ids_of(run: Run, *, tree: bool) -> list[str]:
    """The run alone, or all runs of the tree that it is in, parents before their children."""
    if not tree:
        return [run.pk]
    ids = list(Run.objects.filter(root_id=run.root_id).order_by("depth", "pk").values_list("pk", flat=True)[:RUNS_MAX])
    if len(ids) == RUNS_MAX:
        raise NotPossible(f"the tree has {RUNS_MAX:,} runs or more; export parts of it, without --tree")
    return [run.root_id, *(pk for pk in ids if pk != run.root_id)]


def check_paths(ids: Sequence[str], redaction: Redaction) -> None:
    """Raises `BadInput` for a path that nothing is found at in any of the runs. Reads them, and writes nothing."""
    for run_id in ids:
        if not redaction.missed():
            return
        redaction.of_run(snapshot(run_id))
    if missed := redaction.missed():
        raise BadInput(f"nothing is at {', '.join(missed)}; a path that hits nothing would be a secret that leaves")


def export(
    out: BinaryIO,
    ids: Sequence[str],
    *,
    tree: bool,
    redaction: Redaction | None = None,
    deeds: bool = False,
    told: Told = lambda _: None,
) -> Exported:
    """Write the runs of these ids (`ids_of`) to `out`. `told` is given 1 with each run that is written."""
    sha, counts = hashlib.sha256(), {"runs": 0, "entries": 0}
    written = 0

    def write(data: bytes) -> None:
        nonlocal written
        out.write(data)
        sha.update(data)
        written += len(data)

    write(BEGIN + packed([NAME, VERSION, {"realm": REALM_VERSION, "root": ids[0], "tree": tree}]))
    known: set[str] = set()
    for run_id in ids:
        taken = snapshot(run_id, with_deeds=deeds)
        if redaction is not None:
            redaction.of_run(taken)
        for element in _elements(taken, known):
            write(packed(element))
        counts["runs"] += 1
        counts["entries"] += len(taken.entries)
        told(1)
    write(packed(["end", counts]))
    digest = sha.digest()
    write(packed(digest) + END)
    return Exported(counts["runs"], counts["entries"], written, digest.hex())


def _elements(taken: Snapshot, known: set[str]) -> Iterator[list[Any]]:
    """`known`: the content keys of scripts that are in the file already."""
    new = sorted(taken.source_keys() - known)
    known |= set(new)
    yield from (["source", text] for text in sources(new))
    yield ["run", taken.facts | {name: _value(taken.facts[name]) for name in VALUES}]
    for entry in taken.entries:
        yield ["entry", entry.seq, entry.at, entry.superseded_by, entry.data]
    for message in taken.messages:
        yield ["message", message | {"payload": _value(message["payload"])}]
    for at, who, verb, reason, facts in taken.deeds:
        yield ["deed", at, who, verb, reason, codec.encode(facts)]


def _value(value: Any) -> bytes | None:
    """Nothing stays nothing, as in the database."""
    return None if value is None else codec.encode(value)
