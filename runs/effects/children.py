"""The child that a delegate spec asks for, checked before its row is made."""

from typing import Any

from runs import library
from runs.agents import find_agent
from runs.errors import BadInput, BadSource
from runs.host import NewChild
from runs.host.failure import failure
from runs.ids import new_id
from runs.starting import check_input, check_source
from runs.tools import ToolError


def prepare_child(call_seq: int, spec: dict[str, Any]) -> tuple[NewChild | None, dict[str, Any] | None]:
    """The new child, or the error that the script gets: a script that does not pass the lint, an unknown name, ..."""
    title = str(spec.get("title") or "").replace("\0", "").encode("utf-8", "replace").decode()
    source = agent = saved = script_id = None
    try:
        given = check_input(spec.get("input"))
        _check_schema(spec)
        if "agent" in spec:
            agent = find_agent(spec["agent"]).name
            title = title or agent
        elif "workflow" in spec:
            version = library.find(spec["workflow"])
            source, saved, script_id = version.source.text, version.pk, version.script_id
            title = title or version.script.name
        else:
            source = spec["script"]
            check_source(source)
    except BadSource as error:
        return None, failure(error.code, str(error), detail=[finding.as_dict() for finding in error.findings] or None)
    except (BadInput, library.UnknownScript) as error:
        return None, failure(error.code, str(error))
    except ToolError as error:
        return None, error.as_dict()
    return NewChild(new_id(), call_seq, given, title[:200], source, agent, saved, script_id), None


def _check_schema(spec: dict[str, Any]) -> None:
    if "output" not in spec:
        return
    from runs.host.schema import schema_problem  # jsonschema is much to import, and few scripts ask for it

    if problem := schema_problem(spec["output"]):
        raise BadInput(f"output of ctx.delegate is no JSON Schema that can be checked: {problem}")
