"""Deleting the tree of one root that somebody has chosen, however long ago it ended."""

from collections.abc import Callable, Iterable

from runs.errors import NotPossible
from runs.models import Run
from runs.pruning.deleting import Deleted, delete
from runs.pruning.trees import Tree, trees


def why_not(runs: Iterable[Run]) -> dict[str, str]:
    """Why each of these runs cannot be deleted, "" where it can, and its tree with it; two columns and one read."""
    asked = list(runs)
    known = {tree.root_id: tree for tree in trees({run.root_id for run in asked})}
    return {run.pk: _why_not(run, known.get(run.pk)) for run in asked}


def _why_not(run: Run, tree: Tree | None) -> str:
    if run.pk != run.root_id:
        return "is part of a tree, and goes only with its root"
    if not run.is_terminal:
        return f"has not ended ({run.status})"
    if tree is not None and tree.live:
        return "has runs below it, or successors, that have not ended"
    return ""


def delete_tree(run: Run, also: Callable[[Tree], None]) -> Deleted:
    """Delete the tree of that root; `also` is called in the same transaction. Raises `NotPossible`."""
    done = delete([run.pk], lambda tree: tree.has_ended, lambda going: also(going[0]))
    if not done.trees:
        raise NotPossible("it has moved on meanwhile, or somebody is at work on it; look at it and try again")
    return done
