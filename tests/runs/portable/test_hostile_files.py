"""Files that are damaged, foreign or made to do harm: refused by name, nothing written, nothing large built."""

import hashlib
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cbor2
import pytest
from files import elsewhere, emptied, exported, imported
from going import begun
from lives import CHILD

from journal import codec
from journal.models import Journal, RunJournal
from runs.models import Run, Source
from runs.portable import BadFile
from runs.portable.format import BEGIN, END, packed
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
Change = Callable[[list[Any]], Any]


def elements(data: bytes) -> list[Any]:
    """Without the hash at the end."""
    return list(cbor2.loads(data[3:])[:-1])  # behind the tag, which makes everything in it immutable


def sealed(parts: list[Any]) -> bytes:
    """A file of these elements, with the hash that it should have: bytes stand as they are."""
    body = BEGIN + b"".join(part if isinstance(part, bytes) else packed(part) for part in parts)
    return body + packed(hashlib.sha256(body).digest()) + END


@pytest.fixture
def data() -> bytes:
    run = begun(
        f"await ctx.call('note', {{v: 1}}); await ctx.delegate({{script: {CHILD!r}, input: 1}}); return await ctx.now()"
    )
    file = exported(run, tree=True, deeds=True)
    emptied()
    return file


@pytest.fixture(autouse=True)
def nothing_is_written() -> Iterator[None]:
    yield
    for model in (Run, Journal, RunJournal, Source):
        assert not model.objects.exists(), model


def refused(folder: Path, data: bytes, words: str = "") -> None:
    with pytest.raises(BadFile, match=words or None):
        imported(folder, data)


def test_what_we_seal_here_is_a_file(tmp_path: Path, data: bytes) -> None:
    assert sealed(elements(data)) == data
    assert imported(tmp_path, data, dry_run=True).runs == 2


def test_a_flipped_byte_is_found_wherever_it_is(tmp_path: Path, data: bytes) -> None:
    rng = random.Random(1)
    places = {0, 1, 2, 3, 4, len(data) - 1, len(data) - 2, len(data) - 34, *rng.sample(range(len(data)), 300)}
    for at in places:
        changed = bytearray(data)
        changed[at] ^= 1 << rng.randrange(8)
        refused(tmp_path, bytes(changed))


def test_a_file_that_was_cut_is_found_wherever_it_was(tmp_path: Path, data: bytes) -> None:
    for at in [0, 1, 4, len(data) - 1, *random.Random(2).sample(range(len(data)), 100)]:
        refused(tmp_path, data[:at])


def test_something_behind_the_end_is_refused(tmp_path: Path, data: bytes) -> None:
    refused(tmp_path, data + b"\0", "does not end where it should")


def test_another_file_is_not_ours(tmp_path: Path) -> None:
    for text in (b"", b"PK\x03\x04", b"{}", cbor2.dumps({"a": 1}), b"\xd9\xd9\xf7\x80", BEGIN + END):
        refused(tmp_path, text)


def test_a_newer_format_and_a_newer_realm_are_named(tmp_path: Path, data: bytes) -> None:
    parts = elements(data)
    newer = [[parts[0][0], 2, parts[0][2]], *parts[1:]]
    refused(tmp_path, sealed(newer), "version 2 of the format.*update it first")
    realm = [[parts[0][0], 1, parts[0][2] | {"realm": 99}], *parts[1:]]
    refused(tmp_path, sealed(realm), "version 99 of the realm.*update it first")
    refused(tmp_path, sealed(with_facts(parts, realmVersion=99)), "version 99 of the realm")


def with_facts(parts: list[Any], at: int = 0, **changes: Any) -> list[Any]:
    """The facts of the first run, or the one `at`, changed."""
    places = [place for place, part in enumerate(parts) if part[0] == "run"]
    made = list(parts)
    made[places[at]] = ["run", parts[places[at]][1] | changes]
    return made


def with_entry(parts: list[Any], body: Any, number: int = 0, **columns: Any) -> list[Any]:
    """An entry given another body, the sizes made to fit."""
    place = [at for at, part in enumerate(parts) if part[0] == "entry"][number]
    old = parts[place]
    data = body if isinstance(body, bytes) else codec.encode(body)
    made = list(parts)
    made[place] = ["entry", columns.get("seq", old[1]), columns.get("at", old[2]), columns.get("by"), data]
    facts = next(part for part in made if part[0] == "run")[1]
    return with_facts(made, journalBytes=facts["journalBytes"] + len(data) - len(old[4]))


def test_facts_that_no_run_has_are_refused(tmp_path: Path, data: bytes) -> None:
    parts = elements(data)
    for changes in (
        {"title": "x" * 201},
        {"title": 7},
        {"title": "a\0b"},
        {"id": "../../etc"},
        {"status": "imported"},
        {"status": "waiting"},
        {"finishedAt": None},
        {"kind": "agent"},
        {"signs": -1},
        {"signs": 2**40},
        {"createdAt": 2**63},
        {"createdAt": "now"},
        {"attempt": True},
        {"budget": cbor2.dumps({"cpuMs": 1e18})},
        {"budget": None},
        {"plan": cbor2.dumps({"steps": 3})},
        {"plan": cbor2.dumps([])},
        {"error": cbor2.dumps("bad")},
        {"wait": cbor2.dumps([{"kind": "x", "callSeq": 1}])},
        {"waitsOn": "signal"},
        {"entries": 10**9},
        {"journalBytes": 0},
        {"lastCallSeq": 0},
        {"output": "not bytes"},
        {"output": b"\xff"},
        {"source": "0" * 64},
        {"redacted": [1]},
        {"extra": 1},
    ):
        refused(tmp_path, sealed(with_facts(parts, **changes)))


def test_a_journal_over_the_caps_is_refused_and_says_what_to_raise(tmp_path: Path, data: bytes) -> None:
    refused(tmp_path, sealed(with_facts(elements(data), entries=10_001)), "DAYBOOK_JOURNAL_MAX_ENTRIES")


def test_values_that_are_no_json_are_refused(tmp_path: Path, data: bytes) -> None:
    parts = elements(data)
    for value in (
        b"\x9f\xff",  # of indefinite length
        b"\x5f\xff",
        b"\xc0\x61a",  # a date
        b"\xd9\x01\x11\x61a",  # the tag of a surrogate on what is none
        b"\xd9\x01\x11\x41\xff",
        b"\xd8\x1c\x80",  # a shared reference
        b"\xc2\x49\x01\0\0\0\0\0\0\0\0",  # a number of any size
        b"\x41a",  # bytes
        b"\xf7",  # undefined
        b"\xf9\x7e\0",  # NaN
        b"\xfb\x7f\xf0\0\0\0\0\0\0",  # Infinity
        b"\xa1\x01\x02",  # a name that is no text
        b"\xa1\x80\x02",
        b"\xa2\x61a\x01\x61a\x02",  # a name twice
        b"\x18\x01",  # a longer form than it needs
        b"\x61\xff",  # no UTF-8
        b"\x01\x01",  # two values
        b"",
        b"\x81" * 100_000 + b"\x01",  # nested without end
        b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff",  # a list of 2**64
        b"\xbb\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x7b\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x9a\x3b\x9a\xca\x00",  # 10**9 items
    ):
        refused(tmp_path, sealed(with_facts(parts, output=value)))


def test_entries_that_no_journal_has_are_refused(tmp_path: Path, data: bytes) -> None:
    parts = elements(data)
    good = cbor2.loads(next(part for part in parts if part[0] == "entry")[4])
    for body in (
        7,
        {},
        good | {"kind": "odd"},
        good | {"kind": []},
        good | {"callSeq": -1},
        good | {"callSeq": "1"},
        good | {"op": "rm"},
        {name: value for name, value in good.items() if name != "tool"},
        {"kind": "result", "callSeq": 9, "key": "k", "status": "succeeded", "output": 1},  # of no call
        {"kind": "now", "callSeq": 1, "key": "now", "value": 10**18},
        {"kind": "plan", "callSeq": 1, "plan": []},
        good | {"scriptSha256": "x"},
        {"kind": "call", "callSeq": 1, "op": "agent", "key": "agent|x", "childRunId": "\ud800"},
        {"kind": "call", "callSeq": 1, "op": "agent", "key": "agent|x", "childRunId": "../../etc"},
    ):
        refused(tmp_path, sealed(with_entry(parts, body)))
    refused(tmp_path, sealed(with_entry(parts, good, seq=2)))
    refused(tmp_path, sealed(with_entry(parts, good, at=-1)))
    refused(tmp_path, sealed(with_entry(parts, good, at=10**18)))
    refused(tmp_path, sealed(with_entry(parts, good, by=10**6)))


def test_relatives_that_are_not_in_the_file_are_refused(tmp_path: Path, data: bytes) -> None:
    parts = elements(data)
    other = start("export default () => 1").run
    child = next(part for part in parts[::-1] if part[0] == "run")[1]
    root = next(part for part in parts if part[0] == "run")[1]
    for at, changes in (
        (1, {"parent": other.pk}),
        (1, {"parent": child["id"]}),
        (1, {"root": other.pk}),
        (1, {"id": root["id"]}),
        (1, {"depth": 7}),
        (0, {"successor": other.pk}),
        (0, {"successor": root["id"]}),
        (0, {"continuedFrom": root["id"], "successor": root["id"]}),
        (0, {"parent": child["id"], "depth": 2}),
        (0, {"chain": other.pk}),
        (0, {"id": other.pk}),
    ):
        refused(tmp_path, sealed(with_facts(parts, at, **changes)))
    emptied()


def test_the_id_of_another_run_never_gets_into_a_column_that_is_followed(tmp_path: Path) -> None:
    file = exported(begun("return 1"))
    emptied()
    other = start("export default () => 1").run
    changes = {"successor": other.pk, "parent": other.pk, "root": other.pk, "continuedFrom": other.pk}
    changes |= {"forkedFrom": other.pk, "chain": other.pk, "parentCallSeq": 1, "depth": 3, "key": "other's"}
    made = imported(tmp_path, sealed(with_facts(elements(file), **changes)))
    copy = Run.objects.get(pk=made.root)
    assert other.pk not in (copy.successor, copy.parent_id, copy.root_id, copy.continued_from_id, copy.chain)
    assert (copy.forked_from_id, copy.parent_call_seq, copy.idempotency_key) == (None, None, None)
    emptied()


def test_elements_out_of_place_are_refused(tmp_path: Path, data: bytes) -> None:
    parts = elements(data)
    runs = [at for at, part in enumerate(parts) if part[0] == "run"]
    for made in (
        [*parts[:-1], parts[runs[1]], parts[-1]],  # a run twice
        [part for part in parts if part[0] != "source"],
        [part for part in parts if part[0] != "entry"],
        [parts[0], ["source", "nobody has it"], *parts[1:]],
        [*parts[:-1], ["odd", 1], parts[-1]],
        [*parts[:-1], [], parts[-1]],
        [*parts[:-1], 7, parts[-1]],
        [*parts[:-1], {}, parts[-1]],
        [*parts[:-1], ["message", {}], parts[-1]],
        [*parts[:-1], ["end", {"runs": 10**9, "entries": 10**9}]],
        parts[:-1],
        [parts[0], parts[-1]],
        [*parts, *parts],
    ):
        refused(tmp_path, sealed(made))


def test_what_a_file_claims_costs_no_memory(tmp_path: Path) -> None:
    head = packed(["daybook.run", 1, {"realm": 1, "root": "0" * 26, "tree": True}])
    bombs = [b"\x82\x66source\x7b\x00\x00\x00\x7f\xff\xff\xff\xff", b"\x9b" + b"\xff" * 8, b"\x5b" + b"\xff" * 8]
    bombs += [b"\x81" * 5_000_000, b"\x9a\x00\xff\xff\xff" + b"\x01" * 1000]
    tracemalloc.start()
    for bomb in bombs:
        refused(tmp_path, BEGIN + head + bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * 1024 * 1024


def test_a_file_of_nothing_but_noise_is_refused(tmp_path: Path) -> None:
    rng = random.Random(3)
    for _ in range(500):
        refused(tmp_path, BEGIN + rng.randbytes(rng.randrange(1, 200)))


def test_mutated_files_are_refused_and_nothing_else_is_raised(tmp_path: Path, data: bytes) -> None:
    rng, parts = random.Random(4), elements(data)
    refusals = 0
    for _ in range(400):
        raw = [packed(part) for part in parts]
        at = rng.randrange(len(raw))
        changed = bytearray(raw[at])
        changed[rng.randrange(len(changed))] = rng.randrange(256)
        raw[at] = bytes(changed)
        try:
            imported(tmp_path, sealed(raw), dry_run=True)
        except BadFile:
            refusals += 1
    assert refusals > 200


def test_a_file_can_be_imported_after_a_refusal(tmp_path: Path, data: bytes) -> None:
    refused(tmp_path, data[:-1])
    assert elsewhere(tmp_path, data).created
    emptied()
