"""Callers of every kind, and the tools of the operations' tests; makes `asking`, `going` and `driving` importable."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from runs.api.caller import Caller
from runs.api.roles import Role
from runs.tools import registered

_RUNS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(_RUNS / "operations"), str(_RUNS / "host")]


@pytest.fixture(autouse=True)
def actions() -> None:
    """Those of the product alone."""


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    from going import define_tools

    with registered():
        define_tools()
        yield


@pytest.fixture
def caller(person: Callable[..., User]) -> Callable[..., Caller]:
    """`caller("bob", "view", role=Role.READER)`: a key of that role, of a user with that permission."""

    def make(name: str, *verbs: str, role: Role = Role.OWNER) -> Caller:
        return Caller(person(name, *verbs), role, f"token of-{name}", 1)

    return make
