"""Stack frames as the prelude writes them: `    at name (workflow.js:LINE:COLUMN)`."""

import re

_FRAME = re.compile(r"workflow\.js:(\d+)")


def first_line(stack: str) -> int:
    """The line of the innermost frame of the script, 0 where there is none."""
    found = _FRAME.search(stack)
    return int(found[1]) if found else 0
