"""The example scripts beside this file, by name; the comment at the head of each says what it shows and its input."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Example:
    """`about` is the comment at the head of the script, its first line a summary."""

    name: str
    source: str

    @property
    def about(self) -> str:
        return "\n".join(_head(self.source))

    @property
    def summary(self) -> str:
        return next(_head(self.source), "")


def names() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.js"))


def load(name: str) -> Example:
    """The example of that name; raises `KeyError` for any other."""
    if name not in names():
        raise KeyError(name)
    return Example(name, (_FOLDER / f"{name}.js").read_text(encoding="utf-8"))


def all_examples() -> list[Example]:
    return [load(name) for name in names()]


def _head(source: str) -> Iterator[str]:
    for line in source.splitlines():
        if not line.startswith("//"):
            return
        yield line.removeprefix("//").removeprefix(" ")
