"""Public keys in each form that people have them in, and their fingerprints."""

import base64
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from signing import private_key, public_bytes

from runs.api import public_keys
from runs.errors import BadInput

PRIVATE = private_key("any")
KEY = public_bytes(PRIVATE)
SSH = PRIVATE.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
PEM = PRIVATE.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
OTHER_PEM = X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
# As `ssh-keygen -lf` printed it for the .pub file with this line.
KNOWN = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
KNOWN_FINGERPRINT = "SHA256:bbXpuKG6zhzdmnxq256TlqzFBzRl2f6OOg722cYNbU8"


@pytest.mark.parametrize(
    "text",
    [
        KEY.hex(),
        KEY.hex().upper(),
        f"\n  {KEY.hex()}\n",
        base64.b64encode(KEY).decode(),
        base64.b64encode(KEY).decode().rstrip("="),
        base64.urlsafe_b64encode(KEY).decode(),
        SSH,
        f"{SSH} somebody at a host\n",
        PEM,
    ],
)
def test_each_form_is_read(text: str) -> None:
    assert public_keys.read(text) == KEY


@pytest.mark.parametrize(
    "text",
    [
        "", "x", KEY.hex()[:-2], KEY.hex() + "00", base64.b64encode(KEY[:-1]).decode(), "ssh-rsa AAAAB3Nza",
        "ssh-ed25519 AAAA", SSH[:-8], f"{SSH}AAAA", SSH.replace("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com"),
        OTHER_PEM.decode(), "-----BEGIN PUBLIC KEY-----", "é" * 32, "\0" * 64, "\ud800",
    ],
)  # fmt: skip
def test_what_is_no_such_key_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        public_keys.read(text)


def test_a_private_key_is_refused_for_what_it_is() -> None:
    for form in (PrivateFormat.OpenSSH, PrivateFormat.PKCS8):
        with pytest.raises(BadInput, match="private key"):
            public_keys.read(PRIVATE.private_bytes(Encoding.PEM, form, NoEncryption()).decode())


def test_a_key_for_which_anybody_can_sign_is_refused() -> None:
    """For a point of small order the signature of a point of small order and zero holds for every eighth message or
    more; that one of these does for each key that is refused shows that they are what they are said to be."""
    weak = [bytes([*key[:31], key[31] | sign]) for key in public_keys._WEAK for sign in (0, 0x80)]
    for key in weak:
        with pytest.raises(BadInput, match="anybody"):
            public_keys.read(key.hex())

    def forged(key: bytes) -> bool:
        for point in weak:
            for number in range(64):
                try:
                    Ed25519PublicKey.from_public_bytes(key).verify(point + bytes(32), bytes([number]))
                except Exception:  # noqa: BLE001  (whatever the library says against it)
                    continue
                return True
        return False

    assert sum(map(forged, weak)) >= 7
    assert not forged(KEY)


def test_a_fingerprint_is_that_of_ssh_keygen(tmp_path: Path) -> None:
    if program := shutil.which("ssh-keygen"):
        file = tmp_path / "key.pub"
        file.write_text(KNOWN)
        told = subprocess.run([program, "-lf", str(file)], capture_output=True, text=True, check=True)
        assert KNOWN_FINGERPRINT in told.stdout
    assert public_keys.fingerprint(public_keys.read(KNOWN)) == KNOWN_FINGERPRINT
