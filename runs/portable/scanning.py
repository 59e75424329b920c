"""Cutting a file into its elements without trusting it: what is claimed is not believed, and nothing of it is built
before it is known to be small, of definite length, not nested without end, and of the types that we write."""

import hashlib
import io
import math
import struct
from typing import Any, BinaryIO

import cbor2

from journal import codec
from runs.portable.format import BEGIN, ELEMENT_MAX, END, bad, packed

_DEPTH = 400  # deeper values no journal holds: see `codec`
_BYTES, _TEXT, _TAG, _SIMPLE = 2, 3, 6, 7  # major types
_NAMED = {20, 21, 22}  # false, true, null
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


class Elements:
    """The elements of a file, one after the other; a hash of what has been read."""

    def __init__(self, file: BinaryIO) -> None:
        """Raises `BadFile` where it does not begin as ours do."""
        self._file = file
        self._sha = hashlib.sha256()
        if self._file.read(len(BEGIN)) != BEGIN:
            bad("this is no export of a run: it does not begin as one; manage.py exportrun makes them")
        self._sha.update(BEGIN)

    def next(self) -> Any:
        """The next element: a list, or the bytes at the end. Raises `BadFile`."""
        raw = scan(self._file, ELEMENT_MAX, binary=True)
        element = loaded(raw)
        if packed(element) != raw:
            bad("an element is not written in the canonical form, so we have not written it")
        if not isinstance(element, bytes):
            self._sha.update(raw)
        return element

    def digest(self) -> bytes:
        """The SHA-256 of the file up to the last element that is not it."""
        return self._sha.digest()

    def end(self) -> None:
        """Raises `BadFile` unless the file ends here, as ours do."""
        if self._file.read(2) != END:
            bad("the file does not end where it should: it is damaged, or something was added to it")


def json_value(data: bytes, what: str) -> Any:
    """A JSON value from its CBOR, which has to be that which we would store. Raises `BadFile`."""
    if len(scan(io.BytesIO(data), len(data), binary=False)) != len(data):
        bad(f"{what} is not one CBOR value")
    try:
        value = codec.decode(data)
        again = codec.encode(value)
    except (cbor2.CBORError, ValueError, TypeError) as error:  # such as a text that is no UTF-8
        bad(f"{what} is not a JSON value: {error}")
    if again != data:
        bad(f"{what} is not written as we store it")
    return value


def loaded(raw: bytes) -> Any:
    """Of an element that has been scanned."""
    try:
        return cbor2.loads(raw)
    except (cbor2.CBORDecodeError, ValueError, TypeError) as error:
        bad(f"an element cannot be decoded: {error}")


def scan(file: BinaryIO, most: int, *, binary: bool) -> bytes:
    """The bytes of the next CBOR item of `file`, at most `most`; with `binary` byte strings may stand in it, which our
    elements have and JSON has not. Raises `BadFile`. The time it takes is that of reading it."""
    return _Scan(file, most, binary=binary).item()


class _Scan:
    """Of one item. `_open` counts, from the outside in, what each open list or map still lacks; `_maps` says which of
    them are maps, whose names and values take turns."""

    def __init__(self, file: BinaryIO, most: int, *, binary: bool) -> None:
        self._file, self._most, self._binary = file, most, binary
        self._taken = bytearray()
        self._open, self._maps = [1], [False]

    def item(self) -> bytes:
        tagged = False
        while self._open:
            if not self._open[-1]:
                self._open.pop()
                self._maps.pop()
                continue
            is_name = self._maps[-1] and not self._open[-1] % 2
            self._open[-1] -= 1
            head = self._take(1)[0]
            major = head >> 5
            if tagged and major != _BYTES:
                bad("a tag of a text is on something else")
            if is_name and not tagged and major not in (_TEXT, _TAG):
                bad("a name in a map is no text")
            self._of(major, head & 31, tagged=tagged)
            tagged = major == _TAG
        return bytes(self._taken)

    def _of(self, major: int, info: int, *, tagged: bool) -> None:
        if major == _SIMPLE:
            self._simple(info)
            return
        size = self._number(info)
        match major:
            case 2 if not (self._binary or tagged):
                bad("there are bytes where a JSON value is expected")
            case 2 | 3:
                self._take(size)
            case 4:
                self._begin(size, is_map=False)
            case 5:
                self._begin(2 * size, is_map=True)
            case 6:
                if size != codec.WTF8_TAG or self._binary:
                    bad(f"there is a tag ({size}) that we do not write")
                self._open[-1] += 1

    def _begin(self, items: int, *, is_map: bool) -> None:
        if items > self._most - len(self._taken):
            bad("an element claims more items than its bytes could hold")
        if len(self._open) >= _DEPTH:
            bad(f"an element is nested deeper than {_DEPTH}")
        self._open.append(items)
        self._maps.append(is_map)

    def _number(self, info: int) -> int:
        """What stands in the head and behind it: a number, the length of a text or of a list."""
        if info < 24:
            return info
        if info > 27:
            bad("an element is of indefinite length, which we do not write")
        return int.from_bytes(self._take(1 << (info - 24)), "big")

    def _simple(self, info: int) -> None:
        if info in _FLOATS:
            form = _FLOATS[info]
            if not math.isfinite(struct.unpack(form, self._take(struct.calcsize(form)))[0]):
                bad("there is a number that no JSON has")
        elif info not in _NAMED:
            bad("there is a value that no JSON has")

    def _take(self, size: int) -> bytes:
        if size > self._most - len(self._taken):
            bad(f"an element claims more than {self._most:,} bytes, and there are not so many in one place")
        data = self._file.read(size)
        if len(data) < size:
            bad("the file ends in the middle: it was cut")
        self._taken += data
        return data
