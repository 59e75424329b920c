"""LintScript and ListTools: the same that the commands tell, for everybody who has a key."""

from collections.abc import Callable

import pytest
from asking import ECHO, done, refused
from commanding import command

from runs.agents import AgentContext
from runs.agents.registry import registered_agents
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(caller: Callable[..., Caller]) -> Caller:
    return caller("ruth", role=Role.READER)


def test_a_clean_script_has_no_findings(reader: Caller) -> None:
    assert done(reader, "LintScript", source=ECHO) == {"findings": []}


def test_findings_have_their_place(reader: Caller) -> None:
    (found,) = done(reader, "LintScript", source="export default async () =>\n  new Date()")["findings"]
    assert (found["severity"], found["line"], found["column"]) == ("error", 2, 7)
    assert "ctx.now()" in found["message"]
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("source", "words"), [("x" * 300_000, "limit is"), (None, "source"), ("\ud800", "source"), ("\0", "source")]
)
def test_what_is_no_script_is_refused(reader: Caller, source: str | None, words: str) -> None:
    assert words in refused(reader, "LintScript", 422, source=source).message


def test_an_empty_script_is_a_finding(reader: Caller) -> None:
    assert done(reader, "LintScript", source="")["findings"]


def test_tools_and_agents_are_told_with_their_schemas(reader: Caller) -> None:
    def triage(subject: str, context: AgentContext) -> str:
        """Sorts a letter.

        By its subject.
        """
        return subject

    with registered_agents(triage=triage):
        said = done(reader, "ListTools")
        listed = command("listtools", "--json").json
    for group in ("tools", "agents"):
        assert [{name: row[name] for name in ("name", "schema")} for row in said[group]] == [
            {name: row[name] for name in ("name", "schema")} for row in listed[group]
        ]
    agent = next(agent for agent in said["agents"] if agent["name"] == "triage")
    assert (agent["summary"], agent["parameters"]) == ("Sorts a letter.", ["subject"])
    assert agent["description"].endswith("By its subject.")
    assert {"echo", "note"} <= {tool["name"] for tool in said["tools"]}


def test_it_takes_no_fields(reader: Caller) -> None:
    assert "verbose" in refused(reader, "ListTools", 422, verbose=True).message
