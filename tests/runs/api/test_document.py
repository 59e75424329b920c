"""The document from which clients are written: its test vector and its table of errors are true."""

import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from signing import cbor, post

from runs.api import envelope, keys
from runs.api.envelope import Envelope
from runs.api.errors import STATUS
from runs.api.roles import Role

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "runs/api/README.md").read_text(encoding="utf-8")
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
RUN = "01jgfjjz0000000000000000aa"


def vector() -> list[bytes]:
    """The blocks of hex: the public key, what is signed, the signature, the body."""
    text = README.partition("### A test vector")[2].partition("\n## ")[0]
    blocks = re.findall(r"^((?:    [0-9a-f]+\n)+)", text, re.MULTILINE)
    return [bytes.fromhex("".join(block.split())) for block in blocks]


def test_its_vector_is_what_its_words_say() -> None:
    public, unsigned, signature, body = vector()
    action = {"_": "GetRunJournal", "ts": 1767225600000, "nonce": bytes(range(16)), "runId": RUN, "afterSeq": 7}
    message = {"type": "RunsAction", "signer": public, "account": "ada", "action": action}
    assert public == PRIVATE.public_key().public_bytes_raw()
    assert unsigned == cbor(message)
    assert signature == PRIVATE.sign(unsigned)
    assert body == cbor({**message, "sig": signature})


def test_its_vector_is_what_the_server_reads() -> None:
    public, _, _, body = vector()
    fields = {"runId": RUN, "afterSeq": 7}
    assert envelope.opened(body) == Envelope(public, "ada", "GetRunJournal", 1767225600000, bytes(range(16)), fields)


@pytest.mark.django_db
def test_its_vector_is_refused_for_its_age_alone() -> None:
    ada = User.objects.create_user("ada")
    public, _, _, body = vector()
    keys.register(ada, public.hex(), "vector", Role.READER, None, ada)
    assert b"stale" in post(body).content


def test_each_error_stands_under_its_status() -> None:
    told: dict[str, str] = {}
    for line in README.partition("## Answers")[2].partition("\n## ")[0].splitlines():
        if re.match(r"\| \d", line):
            statuses, codes = line.split("|")[1:3]
            told |= dict.fromkeys(re.findall(r"`([a-z-]+)`", codes), statuses)
    for code, status in STATUS.items():
        assert code == "internal-error" or str(status) in told.pop(code), code
    assert set(told.values()) == {" 422 "}
