"""The words for an input that a tool does not take: each field's path, what was expected, what came."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic_core import ErrorDetails

from runs.tools.errors import ToolError
from runs.tools.refusal import shown

SHOWN = 20  # complaints in one error

_SHOULD = "Input should be "  # how pydantic begins


def invalid_input(tool: str, problems: dict[str, str]) -> ToolError:
    """`invalid-input` of field -> what was expected; `detail` is a list of `{field, message}`."""
    detail = [{"field": field, "message": message} for field, message in problems.items()]
    return ToolError("invalid-input", f"{tool}: " + "; ".join(f"{f} {m}" for f, m in problems.items()), detail=detail)


def invalid_fields(tool: str, errors: Sequence[ErrorDetails], given: Any, names: Sequence[str]) -> ToolError:
    """`invalid-input` of pydantic's findings; `names` are the fields that the tool does take."""
    expected: dict[str, list[str]] = {}  # a union brings one finding for each of its branches
    problems: dict[str, str] = {}
    for error in errors[:SHOWN]:
        path = _path(error["loc"], given)
        if error["msg"].startswith(_SHOULD):
            wanted = expected.setdefault(path, [])
            if (one := error["msg"].removeprefix(_SHOULD)) not in wanted:
                wanted.append(one)
            problems[path] = f"should be {' or '.join(wanted)}, not {brief(error['input'])}"
        else:
            problems.setdefault(path, _message(error, names if len(error["loc"]) == 1 else ()))
    return invalid_input(tool, problems)


def not_an_object(tool: str, given: Any) -> ToolError:
    """`invalid-input` for an input that is no object, and so has no field to name."""
    return ToolError(
        "invalid-input", f"{tool} takes one object, ctx.call('{tool}', {{...}}), and got {brief(given)}", detail=[]
    )


def reserved_field(tool: str, name: str) -> ToolError:
    """`invalid-input` for a script that tries to set what the host fills in."""
    return invalid_input(tool, {name: "is filled in by Daybook and cannot be given"})


def near(name: str, names: Iterable[str]) -> list[str]:
    """The known names that look like this one, best first; case and separators do not count."""
    folded = {known.lower().replace("_", "").replace("-", ""): known for known in names}
    found = get_close_matches(name.lower().replace("_", "").replace("-", ""), folded, n=3, cutoff=0.6)
    return [folded[key] for key in found]


def brief(value: Any) -> str:
    """A JSON value in a few words for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the string "{value}"' if len(value) <= 40 else f'the string "{value[:40]}..."'
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    return shown(value)


def _path(loc: tuple[int | str, ...], given: Any) -> str:
    """`items[2].price`: only the steps that lead through the input, without pydantic's names for a union's branches."""
    path, here, missing = "", given, False
    for step in loc:
        if isinstance(here, list) and isinstance(step, int) and step < len(here):
            path, here = f"{path}[{step}]", here[step]
        elif isinstance(here, dict) and step in here:
            path, here = f"{path}.{step}" if path else str(step), here[str(step)]
        elif isinstance(here, dict) and step is loc[-1] and not missing:
            path, missing = f"{path}.{step}" if path else str(step), True
    return path or "input"


def _message(error: ErrorDetails, names: Sequence[str]) -> str:
    if error["type"] == "missing":
        return "is required"
    if error["type"] == "extra_forbidden":
        return _unknown(str(error["loc"][-1]), names)
    text = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return text[:1].lower() + text[1:]


def _unknown(name: str, names: Sequence[str]) -> str:
    if found := near(name, names):
        return f"is not a field of it; did you mean {' or '.join(found)}?"
    return f"is not a field of it; it takes {', '.join(names)}" if names else "is not a field of it"
