"""The plan of a run that has ended: no step of it stays running."""

from typing import Any


def closed(plan: Any, *, failed: bool) -> Any:
    """`plan` ({title, steps: [{id, label, status}]}, or None) with its running steps failed, or else skipped."""
    if not plan:
        return plan
    left = "failed" if failed else "skipped"
    steps = [step | {"status": left} if step["status"] == "running" else step for step in plan["steps"]]
    return plan | {"steps": steps}
