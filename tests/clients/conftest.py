"""What the clients in other languages need: an installation, and their libraries."""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from cases.fixtures import engine, house, postgres_template, services_environ  # noqa: F401
from helpers import ROOT

SOURCES = Path(__file__).resolve().parent / "node"


@pytest.fixture(scope="session")
def node_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client in Node and its libraries, which are kept in .venv where there is one."""
    named = hashlib.sha256((SOURCES / "package.json").read_bytes()).hexdigest()[:12]
    venv = ROOT / ".venv"
    libraries = (venv if venv.is_dir() else tmp_path_factory.getbasetemp().parent) / f"node-{named}"
    libraries.mkdir(exist_ok=True)
    with (libraries / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (libraries / "installed").exists():
            shutil.copy(SOURCES / "package.json", libraries)
            flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")
            done = subprocess.run(["npm", "install", *flags], cwd=libraries, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            (libraries / "installed").touch()
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(libraries / "node_modules")
    return folder
