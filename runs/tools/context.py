"""What a tool may know about the call that it is serving, and the two things that it may say while it works."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from runs.tools.errors import ToolError

logger = logging.getLogger("runs.tools")

LABEL_MAX = 200

Report = Callable[[float | None, str | None], None]


def _nobody_listens(fraction: float | None, label: str | None) -> None:
    pass


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Given to the parameter that is annotated `ToolContext`, whatever its name; the script cannot set it.

    `run_id` and `call_seq` name the call; `attempt` counts from 1 and grows with each retry. The host hands over
    `cancel`, which it sets when the run is canceled, and `report`, which takes (fraction, label).
    """

    run_id: str
    call_seq: int
    attempt: int = 1
    cancel: Event = field(default_factory=Event, repr=False)
    report: Report = field(default=_nobody_listens, repr=False)

    @property
    def token(self) -> str:
        """The idempotency token: the same at each execution of this call, by whichever worker, and of no other call. A
        call may be executed more than once: when its worker died before the result was written, or stood still past its
        lease just as the tool began."""
        return f"{self.run_id}:{self.call_seq}"

    @property
    def cancelled(self) -> bool:
        """Whether the run was canceled; a result that comes now is recorded and never delivered."""
        return self.cancel.is_set()

    def raise_if_cancelled(self) -> None:
        """Raises `ToolError("canceled")` once the run was canceled; call it between the steps of long work."""
        if self.cancel.is_set():
            raise ToolError("canceled", "the run was canceled while this tool was working")

    def progress(self, fraction: float | None = None, label: str | None = None) -> None:
        """Shows how far the tool is, `fraction` from 0 to 1; raises ValueError outside of it.

        Shown, never journaled: a listener that fails is logged and costs the call nothing. A label is cut at 200
        characters.
        """
        if fraction is not None:
            if isinstance(fraction, bool) or not isinstance(fraction, int | float) or math.isnan(fraction):
                raise ValueError(f"progress takes a fraction from 0 to 1, not {fraction!r}")
            if not 0 <= fraction <= 1:
                raise ValueError(f"progress takes a fraction from 0 to 1, not {fraction!r}: divide by the total")
        try:
            self.report(fraction, None if label is None else str(label)[:LABEL_MAX])
        except Exception:
            logger.exception("progress of call %s was not shown", self.token)
