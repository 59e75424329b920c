"""The README is true: its scripts run, its commands parse, its settings, methods, tools and folders exist."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from commanding import command
from django.core.management import get_commands

from runs.codes import Code
from runs.conf import Conf
from runs.lifecycle import Status
from runs.lint import lint
from runs.models import Run
from runs.tools import all_tools, find, registered

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROOMS = (ROOT / "runs/README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "platform/config/settings.py").read_text(encoding="utf-8")
OF_TESTS = {"DAYBOOK_TEST_POSTGRES", "DAYBOOK_TEST_REDIS", "DAYBOOK_TEST_BROWSER"}


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    """The text under a heading, up to the next one of its level."""
    level, _, rest = README.partition(f"# {title}\n")
    marks = level.rpartition("\n")[2] + "#"
    return re.split(rf"^{marks} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def first_cells(text: str) -> str:
    """The first column of the tables in it."""
    return "\n".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))


def shell_lines() -> Iterator[list[str]]:
    for block in fenced("sh"):
        for line in block.splitlines():
            yield shlex.split(line)


def test_it_is_short_and_in_order() -> None:
    assert len(README.splitlines()) < 250
    headings = re.findall(r"^## (.*)$", README, re.MULTILINE)
    assert headings == ["Run it", "Write a script", "Tools", "Operate it", "Words", "States", "Layout", "Tests"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("source", fenced("js"))
def test_its_scripts_are_clean_and_run(source: str) -> None:
    assert lint(source) == []
    command("startrun", "-", "--inline", "--json", stdin=source.encode()).succeeded()


@pytest.mark.django_db(transaction=True)
def test_its_tool_can_be_called() -> None:
    (source,) = fenced("python")
    with registered():
        exec(compile(source, "README.md", "exec", dont_inherit=True), {"__name__": "tools"})
        script = b"export default (input, ctx) => ctx.call('invoice.send', {number: '2024-17'})"
        output = command("startrun", "-", "--inline", "--json", stdin=script).succeeded().json["output"]
    assert output == {"sent": "2024-17", "token": f"{Run.objects.get().pk}:1"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("words", list(shell_lines()), ids=" ".join)
def test_its_shell_lines_work(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert words[:2] == ["python", "manage.py"]
    command(*words[2:]).succeeded()


def test_its_commands_exist_and_every_command_about_runs_is_listed() -> None:
    listed = set(re.findall(r"`manage\.py (\w+)", first_cells(section("Operate it"))))
    ours = {name for name, app in get_commands().items() if app == "runs"}
    assert listed == ours


@pytest.mark.django_db(transaction=True)
def test_its_ctx_table_is_what_the_realm_gives() -> None:
    listed = set(re.findall(r"ctx\.(\w+)", first_cells(section("Write a script"))))
    source = b"export default (input, ctx) => Object.keys(ctx)"
    assert listed == set(command("startrun", "-", "--inline", "--json", stdin=source).succeeded().json["output"])


def test_its_built_in_tools_are_those_that_ship() -> None:
    listed = set(re.findall(r"`([\w.]+)`", first_cells(section("Tools"))))
    assert listed == {tool.name for tool in all_tools() if tool.function.__module__.startswith("runs.tools.")}
    assert find("echo")


def test_every_setting_is_listed_and_every_listed_one_is_read() -> None:
    listed = set(re.findall(r"`([A-Z_]+)`", first_cells(section("Settings"))))
    named = {f"DAYBOOK_{field.name.upper()}" for field in fields(Conf)}
    assert named <= listed
    read = set(re.findall(r'os\.environ(?:\.get\(|\[|, )"([A-Z_]+)"', SETTINGS))
    assert listed == read | named
    for field in fields(Conf):
        assert f'"{field.name.upper()}"' in SETTINGS or f'"DAYBOOK_{field.name.upper()}"' in SETTINGS
    for name in set(re.findall(r"DAYBOOK_[A-Z_]+", README)) - OF_TESTS:
        assert name in listed


def test_its_defaults_are_those_of_the_product() -> None:
    defaults: dict[str, Any] = {f"DAYBOOK_{field.name.upper()}": field.default for field in fields(Conf)}
    for line in section("Settings").splitlines():
        if line.startswith("| `"):
            names, values = (cell.strip() for cell in line.split("|")[1:3])
            for name, value in zip(re.findall(r"`(\w+)`", names), values.split(", "), strict=False):
                if isinstance(defaults.get(name), int | float):
                    assert float(value) == defaults[name], name


def test_its_states_and_codes_are_those_of_the_product() -> None:
    assert all(status in section("States") for status in Status.values)
    codes = set(
        re.findall(r"`([a-z]+(?:-[a-z]+)*)`", section("Operate it").partition("The codes:")[2].partition(".")[0])
    )
    assert codes == {code.value for code in Code}


def test_its_folders_exist() -> None:
    block = section("Layout").partition("Imports go")[0]
    for line in filter(str.strip, block.splitlines()):
        for name in re.findall(r"[\w./]+", line.strip().partition("   ")[0]):
            assert (ROOT / name).exists(), name


def test_every_room_of_runs_is_described_and_every_module_that_is_exists() -> None:
    told = set(re.findall(r"`(\w+(?:/|\.py))`", first_cells(ROOMS)))
    assert all((ROOT / "runs" / name).exists() for name in told)
    packages = {f"{path.parent.name}/" for path in (ROOT / "runs").glob("*/__init__.py")}
    assert packages - told == {"migrations/", "models/", "management/", "templatetags/"}
