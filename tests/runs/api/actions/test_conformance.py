"""The running server, asked by schemathesis whatever the document allows and much that it does not: what it answers is
in the document, and never a fault of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from helpers import House, free_port

HERE = Path(__file__).resolve().parent
SECONDS = 240  # in which a slow machine is through with it
EXAMPLES = int(os.environ.get("DAYBOOK_STORM", "1")) * 5
TOKEN = """
from django.contrib.auth.models import User
from runs.api import tokens
from runs.api.roles import Role
user = User.objects.create_superuser("vera")
answer(tokens.make(user, "conformance", Role.OWNER, None, None)[1])
"""
SCRIPTS = {
    "succeeds": "await ctx.call('echo', {v: 1}); return ctx.call('echo', {v: input})",
    "fails": "await ctx.call('echo', {v: 1}); return ctx.call('store.get', {key: ''})",
}
# No schema says what a script is, or which calls a run has: of what it allows here some is refused with 422.
LOOSE = ("StartRun", "RetryRun", "ForkRun", "DryReplay")
CONFIG = """
[[operations]]
include-name = "POST /api/{name}"
checks.positive_data_acceptance.enabled = false
"""


def test_the_running_server_keeps_to_its_document(make_house: Callable[..., House], tmp_path: Path) -> None:
    house, port = make_house(DAYBOOK_API_RATE="1000000"), free_port()
    ids = [run_of(house, tmp_path, body, *how) for body in SCRIPTS.values() for how in ((), ("--inline",))]
    token = house.shell(TOKEN)
    house.serve(port)
    (tmp_path / "schemathesis.toml").write_text("".join(CONFIG.format(name=name) for name in LOOSE))
    walk = ["--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "6"]
    plain = ["--no-color", "--workers", "1"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{port}/api/openapi.json"),
            *("--url", f"http://127.0.0.1:{port}", "--header", f"Authorization: Bearer {token}", *walk, *plain),
        ],
        cwd=tmp_path,
        env=house.environ | {"SCHEMATHESIS_HOOKS": "real_runs", "PYTHONPATH": str(HERE), "REAL_RUNS": " ".join(ids)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    assert "Missing test data" not in done.stdout, "the actions are asked for runs that are there"
    assert "Traceback" not in house.log()


def run_of(house: House, folder: Path, body: str, *how: str) -> str:
    """The id of a run of that script; queued, or with `--inline` at its end."""
    (folder / "script.js").write_text(f"export default async (input, ctx) => {{ {body} }}")
    started = house.manage("startrun", str(folder / "script.js"), "--json", *how, check=False)
    return str(json.loads(started.stdout)["id"])
