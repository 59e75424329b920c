"""The stable codes of a run's error and of a failed call, each with what to do about it."""

from enum import StrEnum
from typing import Any, Self


class Code(StrEnum):
    """`Code.X.help` is shown beside the error, in the terminal and on the pages."""

    help: str

    def __new__(cls, value: str, help: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.help = help
        return member

    LINT = "lint", "The script uses something that a durable run cannot have. Change the marked lines."
    SOURCE_TOO_LARGE = "source-too-large", "Split the script, or keep its data outside and read it with a tool."
    FUEL_EXHAUSTED = (
        "fuel-exhausted",
        "One slice of the script computed for too long. Do heavy work in a tool, or await between parts.",
    )
    CPU_EXHAUSTED = (
        "cpu-exhausted",
        "The run has used up its whole CPU budget. Do heavy work in a tool, or split the run.",
    )
    OUT_OF_MEMORY = (
        "out-of-memory",
        "The script holds too much at once. Keep data in the store and work on parts of it.",
    )
    STACK_OVERFLOW = "stack-overflow", "A function calls itself without end, or too deeply. Use a loop."
    JOURNAL_CAP = "journal-cap", "The journal is full. Finish a long loop into a successor with ctx.continueAsNew."
    RESULT_TOO_LARGE = "result-too-large", "Return a reference (store.put, a URL) or a part of the value."
    INVALID_INPUT = "invalid-input", "A value is not one that is taken here. The message names the field."
    UNKNOWN_TOOL = (
        "unknown-tool",
        (
            "No tool of that name is registered (manage.py listtools). For one of your own: its app is not in "
            "DAYBOOK_APPS, or the workers were started before it and have to be restarted."
        ),
    )
    TOOL_ERROR = (
        "tool-error",
        "The tool raised an exception. The worker's log has its traceback; a tool that raises ToolError says more.",
    )
    TOOL_CRASHED = (
        "tool-crashed",
        "The tool tried to end its worker. Mend it: a call is failed by raising ToolError.",
    )
    INVALID_RESULT = "invalid-result", "The tool returned what is no JSON. Mend the tool; the message names the place."
    ADDRESS_REFUSED = (
        "address-refused",
        "If scripts are meant to reach that host, list it in DAYBOOK_HTTP_ALLOW_HOSTS and restart the workers.",
    )
    DEADLOCK = (
        "workflow-deadlock",
        "Everything has settled and the script still waits for a promise that nobody will resolve.",
    )
    WORKFLOW_ERROR = "workflow-error", "The script threw. Fix the marked line and start the script again."
    REPLAY_DIVERGED = "replay-diverged", "The script does not ask for what its journal records. Nothing was executed."
    INTERRUPTED = (
        "interrupted",
        "The run took its worker down several times. Look at the call that was out, then retry.",
    )
    WALL_TIMEOUT = (
        "wall-timeout",
        "The run lived longer than it may. Give it a larger budget, or finish it into successors.",
    )
    CANCELED = "canceled", "The run was canceled. It keeps what it has done; fork it to go on from there."
    INTERNAL_ERROR = (
        "internal-error",
        "A fault of the platform, not of the script. See the worker's log; then retry.",
    )
    DATABASE = "database", "The database does not answer. Start it, or apply its migrations (manage.py migrate)."
    TRANSACTION_BROKEN = "transaction-broken", "A tool that expects a database error wraps the statement in atomic()."
    OUTPUT_SCHEMA = "output-schema", "The child returned what its caller did not ask for. Fix the child, or the schema."
    DEPTH_LIMIT = "depth-limit", "Let one run do more, or start an independent run."
    FANOUT_LIMIT = "fanout-limit", "Give each child more to do, or continue in a successor."
    UNKNOWN_AGENT = "unknown-agent", "No agent of that name is registered. Check the spelling."
    TIMEOUT = "timeout", "The tool did not answer in time. Give it a larger timeoutMs, or a retry."


def help_of(error: dict[str, Any] | None) -> str | None:
    """What to do about the code of an error; None for a code that a tool brought."""
    return next((code.help for code in Code if error and code.value == error["code"]), None)
