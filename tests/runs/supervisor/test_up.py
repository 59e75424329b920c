"""`manage.py up` as a person starts it: web, workers, clock, the first admin, an example run; and how it ends."""

import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import pytest
from commanding import command
from helpers import PATIENCE, House, alive, descendants, eventually, free_port


class Up:
    def __init__(self, house: House, *arguments: str) -> None:
        self.house = house
        self.port = free_port()
        self.process: subprocess.Popen[str] = house.start("up", "--port", str(self.port), *arguments)

    def says(self, pattern: str, within: float = PATIENCE) -> re.Match[str]:
        """The first match in its output, as soon as there is one."""
        return eventually(lambda: re.search(pattern, self.house.log()), within=within, what=pattern)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def port_is_free(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) != 0


@pytest.fixture
def up(house: House) -> Up:
    return Up(house, "--no-example", "--workers", "1")


def test_it_serves_pages_and_the_admin_with_its_styles(up: Up) -> None:
    up.says("Daybook serves at")
    assert up.get("/healthz") == "ok\n"
    assert "Sign in" in up.get("/runs/")
    assert ">Daybook</a>" in up.get("/admin/login/")
    assert "body" in up.get("/static/admin/css/base.css")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        up.get("/static/no-such-file.css")


def test_the_first_start_makes_an_administrator_and_the_next_one_none(up: Up) -> None:
    name, password = up.says(r"first administrator: (\S+), password (\S+)").groups()
    up.says("Daybook serves at")
    check = "from django.contrib.auth import authenticate\nuser = authenticate(username={!r}, password={!r})\n"
    assert up.house.shell(check.format(name, password) + "answer(user.is_superuser)") is True
    up.process.terminate()
    assert up.process.wait(timeout=PATIENCE) == 0
    again = Up(up.house, "--no-example")
    eventually(lambda: up.house.log().count("Daybook serves at") == 2)
    assert up.house.log().count("first administrator") == 1
    again.process.terminate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_everything(up: Up, number: signal.Signals) -> None:
    up.says("Daybook serves at")
    eventually(lambda: len(descendants(up.process.pid)) >= 5, what="the cluster has its workers")
    below = descendants(up.process.pid)
    up.process.send_signal(number)
    assert up.process.wait(timeout=PATIENCE) == 0
    assert not [pid for pid in below if alive(pid)]
    assert up.port_is_free()


def test_killing_the_parent_leaves_nobody_behind(up: Up) -> None:
    up.says("Daybook serves at")
    below = descendants(up.process.pid)
    up.process.kill()
    up.process.wait()
    eventually(lambda: not [pid for pid in below if alive(pid)])
    assert up.port_is_free()


def test_a_killed_web_process_is_started_again(up: Up) -> None:
    up.says("Daybook serves at")
    web = next(pid for pid in descendants(up.process.pid) if "daphne" in _command(pid))
    subprocess.run(["kill", "-KILL", str(web)], check=True)
    up.says("web ended with exit code -9; starting it again")
    eventually(lambda: _answers(up))


def test_a_taken_port_is_refused_with_the_way_out(house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = house.manage("up", "--port", str(server.getsockname()[1]), check=False)
    assert done.returncode == 1
    assert "Choose another port" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_without_migrations_is_refused(house: House) -> None:
    done = house.manage("up", "--port", str(free_port()), check=False, DAYBOOK_DATA_DIR=str(house.folder / "empty"))
    assert done.returncode == 1
    assert "manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_example_run_succeeds_and_its_page_is_there(house: House) -> None:
    up = Up(house)
    run = up.says(r"example run: http://127\.0\.0\.1:\d+/runs/([^/]+)/")[1]
    status = f"from runs.models import Run\nanswer(Run.objects.get(pk={run!r}).status)"
    eventually(lambda: house.shell(status) == "succeeded", every=0.3)


def _command(pid: int) -> str:
    return subprocess.run(
        ["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout


def _answers(up: Up) -> bool:
    try:
        return up.get("/healthz") == "ok\n"
    except OSError:
        return False


@pytest.mark.parametrize("port", ["0", "-1", "99999"])
def test_a_port_that_there_is_not_is_refused_at_once(port: str) -> None:
    command("up", f"--port={port}").refused("--port takes 1 to 65535")


def test_no_workers_are_refused() -> None:
    command("up", "--workers", "0").refused("--workers takes at least 1")
