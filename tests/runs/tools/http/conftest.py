"""What the tests of `http.request` share: names that resolve as it says, and connections that all end at its site."""

from collections.abc import Iterable, Sequence
from typing import Any

import httpcore
import httpx
import pytest

from runs.tools import ToolContext
from runs.tools.http import backend
from runs.tools.http.exchange import Network, Wanted, exchange


class Dialled(httpcore.NetworkBackend):
    """Notes the address that was asked for, and connects to the site instead, since tests speak to loopback only."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.addresses: list[str] = []

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        self.addresses.append(host)
        return httpcore.SyncBackend().connect_tcp("127.0.0.1", self.port, timeout)


class Names:
    """A name server: the answers to a name, one after the other; the last is repeated."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.answers[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


def ask(url: str, network: Network, context: ToolContext | None = None, **other: Any) -> dict[str, Any]:
    """One exchange with a GET and short limits."""
    wanted: dict[str, Any] = {
        "method": "GET",
        "headers": {},
        "content": None,
        "timeout_ms": 5_000,
        "max_bytes": 100_000,
        "follow_redirects": True,
        "allow": (),
    }
    return exchange(Wanted(url=httpx.URL(url), **{**wanted, **other}), context or ToolContext("r1", 1), network)


@pytest.fixture(autouse=True)
def _no_name_leaves_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"] if host == "localhost" else []

    monkeypatch.setattr(backend, "system_resolver", resolve)


@pytest.fixture(name="ask")
def ask_fixture() -> Any:
    return ask


@pytest.fixture
def names() -> type[Names]:
    return Names


@pytest.fixture
def dialled(site: Any) -> Dialled:
    return Dialled(site.server_port)
