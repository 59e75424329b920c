"""What can be asked of the API, by name. Each is done by the function that commands and pages call too."""

from runs.api.actions.action import Action
from runs.api.actions.again import FORK_RUN, RETRY_RUN
from runs.api.actions.dry import DRY_REPLAY
from runs.api.actions.journal import GET_RUN_JOURNAL
from runs.api.actions.looking import GET_RUN, LIST_RUNS
from runs.api.actions.starting import START_RUN
from runs.api.actions.telling import CANCEL_RUN, SIGNAL_RUN
from runs.api.actions.writing import LINT_SCRIPT, LIST_TOOLS

ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        START_RUN,
        GET_RUN,
        LIST_RUNS,
        GET_RUN_JOURNAL,
        SIGNAL_RUN,
        CANCEL_RUN,
        RETRY_RUN,
        FORK_RUN,
        LINT_SCRIPT,
        DRY_REPLAY,
        LIST_TOOLS,
    )
}

__all__ = ["ACTIONS", "Action"]
