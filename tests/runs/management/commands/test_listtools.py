"""listtools: what scripts can call, that of apps of one's own included."""

import json

from commanding import command
from helpers import House


def test_each_tool_is_told_with_its_parameters_and_first_line() -> None:
    out = command("listtools").succeeded().out
    assert "store.put {key, value, if_absent?}\n    Puts `value` under" in out
    assert "echo {...}" in out


def test_agents_are_told_after_the_tools() -> None:
    tools, agents = command("listtools").succeeded().out.split("Agents, for ctx.delegate({agent, input}):\n")
    assert "\nllm {" in agents
    assert "llm" not in tools


def test_a_tool_of_ones_own_is_there_once_its_app_is_in_the_setting(house: House) -> None:
    app = house.folder / "of_ones_own"
    app.mkdir()
    (app / "__init__.py").touch()
    (app / "tools.py").write_text(
        "from runs.tools import tool\n\n\n@tool('invoice.send')\ndef send(number: str, copy: bool = False) -> None:\n"
        '    """Sends it.\n\n    Really."""\n'
    )
    done = house.manage("listtools", "--json", DAYBOOK_APPS="of_ones_own", PYTHONPATH=str(house.folder))
    assert [agent["name"] for agent in json.loads(done.stdout)["agents"]] == ["llm"]
    (found,) = [tool for tool in json.loads(done.stdout)["tools"] if tool["name"] == "invoice.send"]
    assert (found["summary"], found["parameters"]) == ("Sends it.", ["number", "copy?"])
