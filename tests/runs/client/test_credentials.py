"""What is sent to say who asks: the server's own code reads it."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from runs.api import envelope
from runs.client import Key
from runs.watching.protocol import now_ms

FIELDS = {"input": {"b": [1.5, -1, 2**53 - 1, 1e300], "a": "ü", "": None}, "runId": "x"}


def test_what_a_key_signs_is_what_the_server_reads() -> None:
    private = Ed25519PrivateKey.generate()
    read = envelope.opened(Key(private, "ana").request("GetRun", FIELDS).content)
    assert (read.signer, read.account, read.name) == (private.public_key().public_bytes_raw(), "ana", "GetRun")
    assert read.fields == FIELDS
    envelope.check_time(read, now_ms())


@pytest.mark.parametrize("form", [PrivateFormat.OpenSSH, PrivateFormat.PKCS8])
def test_a_key_is_loaded_from_a_file(tmp_path: Path, form: PrivateFormat) -> None:
    private = Ed25519PrivateKey.generate()
    path = tmp_path / "key"
    path.write_bytes(private.private_bytes(Encoding.PEM, form, NoEncryption()))
    read = envelope.opened(Key.load(path, "ana").request("GetRun", {}).content)
    assert read.signer == private.public_key().public_bytes_raw()


def test_another_kind_of_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(ValueError, match="ssh-keygen -t ed25519"):
        Key.load(path, "ana")
