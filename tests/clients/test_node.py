"""A client that was written from the document alone, in another language: what it sees, and what it is refused."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases.installation import Installation, entries
from cases.programs import Programs, key_of, person
from django.contrib.auth.models import User
from helpers import ROOT

from runs.api.revoking import revoke
from runs.models import ApiNonce, ApiRequest, Message, Run

pytestmark = pytest.mark.node
ENVIRON = {"DAYBOOK_API_RATE": "100", "DAYBOOK_API_MAX_BYTES": str(1 << 20)}
Line = dict[str, Any]


@pytest.fixture(scope="module")
def web(house: Installation) -> Iterator[Programs]:
    programs = Programs(house)
    yield programs
    programs.close()


@pytest.fixture
def ana(house: Installation) -> User:
    return person()


def told(folder: Path, program: str, *arguments: str) -> list[Line]:
    """What it has printed, to its end."""
    done = subprocess.run(["node", program, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_writes_the_test_vector_of_the_document(node_client: Path) -> None:
    document = (ROOT / "runs/api/README.md").read_text(encoding="utf-8")
    body = document.partition("The body:\n\n")[2].partition("\n\n##")[0]
    assert told(node_client, "vector.mjs") == [{"body": "".join(body.split())}]


def test_it_signs_starts_follows_and_signals_a_run(node_client: Path, web: Programs, ana: User) -> None:
    private, _ = key_of(ana)
    first, *seen, last = told(node_client, "story.mjs", web.url, private.hex(), ana.username)
    run = Run.objects.get(owner=ana)
    assert first == {"started": run.pk, "again": run.pk}
    journal = entries(run)
    assert [line for line in seen if "seq" in line] == [{"seq": e.seq, "kind": e.kind} for e in journal]
    (sent,) = [line for line in seen if line.get("_") == "SignalRun"]
    assert (sent["outcome"], sent["runId"]) == ("delivered", run.pk)
    assert (last["status"], last["output"]) == ("succeeded", {"by": "Node", "input": last["input"]})
    assert run.input == last["input"]
    assert last["rest"] == [entry.seq for entry in journal if entry.seq > 1]


EXPECTED = {
    "another title": (401, "bad-signature"),
    "another signature": (401, "bad-signature"),
    "from a minute ago": (400, "stale"),
    "from a minute ahead": (400, "stale"),
    "twice": (409, "replayed"),
    "of an unknown key": (401, "bad-signature"),
    "of a revoked key": (401, "bad-signature"),
    "of another account": (401, "wrong-account"),
    "with a short nonce": (400, "bad-message"),
    "with one field more": (400, "bad-message"),
    "not canonical": (400, "not-canonical"),
    "with a byte behind it": (400, "not-canonical"),
    "too large": (413, "too-large"),
    "socket: another byte": "bad-signature",
    "socket: a minute ago": "stale",
    "socket: good": None,
    "socket: twice": "replayed",
    "socket: of another account": "wrong-account",
}


def test_what_is_tampered_with_stale_replayed_or_anothers_is_refused_and_changes_nothing(
    node_client: Path, web: Programs, ana: User
) -> None:
    private, _ = key_of(ana)
    revoked, row = key_of(ana)
    revoke(row, None)
    run_id = web.by_token(ana).start("export default async (_, ctx) => ctx.waitForEvent({})")["run"]["id"]
    before = counts()
    lines = told(node_client, "refusals.mjs", web.url, private.hex(), ana.username, revoked.hex(), run_id)
    got = {line["name"]: (line["status"], line["code"]) if "status" in line else line.get("code") for line in lines}
    assert got == EXPECTED
    assert counts() == before | {"nonces": before["nonces"] + 2}  # of the two good ones
    web.by_token(ana).cancel(run_id)


def test_what_is_over_the_limit_is_refused_and_changes_nothing(node_client: Path, web: Programs, ana: User) -> None:
    private, _ = key_of(ana)
    (sent,) = told(node_client, "hammer.mjs", web.url, private.hex(), ana.username, "230")
    assert sent.keys() == {"201", "429"}
    assert sent["201"] + sent["429"] == 230
    assert 100 <= sent["201"] <= 200  # a minute may have begun meanwhile
    assert Run.objects.filter(owner=ana).count() == sent["201"]


def counts() -> dict[str, int]:
    rows = {"runs": Run, "requests": ApiRequest, "messages": Message, "nonces": ApiNonce}
    return {name: model.objects.count() for name, model in rows.items()}
