"""Ed25519 public keys as people have them, and their fingerprint."""

import base64
import binascii
import hashlib
import re

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from runs.errors import BadInput

_SSH = b"ssh-ed25519"
_HOW = (
    "paste an Ed25519 public key: a line `ssh-ed25519 AAAA...` of a .pub file, a block BEGIN PUBLIC KEY, or its 32"
    " bytes as hex or base64"
)
# Points of small order, but for the sign: a signature that holds for any message is easy to make for these.
_WEAK = {
    bytes(32),
    b"\x01" + bytes(31),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    b"\xec" + b"\xff" * 30 + b"\x7f",
    b"\xed" + b"\xff" * 30 + b"\x7f",
    b"\xee" + b"\xff" * 30 + b"\x7f",
}


def read(text: str) -> bytes:
    """The 32 bytes; raises `BadInput`."""
    text = text.strip()
    if "PRIVATE KEY" in text:
        raise BadInput("this is a private key, which belongs on no page: make a new pair, and paste the public one")
    key = _pem(text) if text.startswith("-----BEGIN") else _ssh(text) if " " in text else _bare(text)
    if len(key) != 32:
        raise BadInput(f"this is no such key: {_HOW}")
    if key[:-1] + bytes([key[-1] & 0x7F]) in _WEAK:
        raise BadInput("this key is one for which anybody could sign; make a pair with ssh-keygen -t ed25519")
    return key


def fingerprint(key: bytes) -> str:
    """ "SHA256:..." as `ssh-keygen -l` shows it."""
    return f"SHA256:{base64.b64encode(hashlib.sha256(_framed(_SSH) + _framed(key)).digest()).decode().rstrip('=')}"


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def _ssh(text: str) -> bytes:
    kind, blob, *_ = text.split()
    if kind != _SSH.decode():
        raise BadInput(f"this is no line of an Ed25519 key: {_HOW}")
    start = _framed(_SSH) + (32).to_bytes(4, "big")
    read = _base64(blob)
    return read.removeprefix(start) if read.startswith(start) else b""


def _pem(text: str) -> bytes:
    try:
        key = load_pem_public_key(text.encode())
    except (ValueError, UnsupportedAlgorithm):
        return b""
    return key.public_bytes_raw() if isinstance(key, Ed25519PublicKey) else b""


def _bare(text: str) -> bytes:
    return bytes.fromhex(text) if re.fullmatch(r"[0-9a-fA-F]{64}", text) else _base64(text)


def _base64(text: str) -> bytes:
    """Also of the alphabet for addresses, and without padding."""
    plain = text.translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
