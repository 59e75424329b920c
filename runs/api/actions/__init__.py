"""The actions of the API."""

from runs.api.actions.action import Action

ACTIONS: dict[str, Action] = {}
