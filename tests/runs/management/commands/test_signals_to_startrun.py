"""Ctrl-C and SIGTERM to startrun: --inline hands the run back, --wait leaves it to the workers."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commanding import Server, serving
from helpers import PATIENCE, House, eventually


class Silent(Server):
    """Accepts connections and says nothing, so that a call stays out."""

    def finish_request(self, *_: Any) -> None:
        self.asked.append("/")
        self.released.wait()


@pytest.fixture
def site() -> Iterator[Server]:
    from threading import Event

    Silent.released = Event()  # type: ignore[attr-defined]
    with serving(Silent) as server:
        yield server
        Silent.released.set()  # type: ignore[attr-defined]


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.js"
    path.write_text("export default (input, ctx) => ctx.call('http.request', {url: input})")
    return str(path)


def standing(house: House) -> dict[str, Any]:
    code = (
        "from runs.models import Run\nanswer(list(Run.objects.values('status', 'crashes', 'attempt', 'lease_until')))"
    )
    (run,) = house.shell(code)
    return dict(run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_inline_hands_the_run_back_with_its_call_out(make_house, site: Server, script: str, number: int) -> None:
    house: House = make_house(DAYBOOK_HTTP_ALLOW_HOSTS="127.0.0.1", DAYBOOK_DRAIN_SECONDS="0.2")
    process = house.start("startrun", script, "--inline", "--json", "--input", json.dumps(site.url))
    eventually(lambda: site.asked)
    process.send_signal(number)
    assert process.wait(timeout=PATIENCE) == 3
    assert standing(house) == {"status": "queued", "crashes": 0, "attempt": 1, "lease_until": None}
    assert "interrupted" in house.log()
    assert "handed back" in house.log()
    assert "Traceback" not in house.log()


def test_wait_leaves_the_run_to_the_workers_and_says_so(house: House, script: str) -> None:
    process = house.start("startrun", script, "--wait", "--input", '"http://x.invalid"')
    eventually(lambda: house.log().strip())
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 3
    assert standing(house)["status"] == "queued"
    assert "It goes on" in house.log()
    assert "Traceback" not in house.log()
