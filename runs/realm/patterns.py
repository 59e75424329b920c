"""Regular expressions of JSON Schema, which are JavaScript's: matched in an engine that can be stopped."""

from typing import Any

import quickjs

_SECONDS = 0.2  # of CPU, for one match
_MEMORY = 32 * 1024 * 1024
_TEST = "(pattern, text) => new RegExp(pattern, 'u').test(text)"


class BadPattern(Exception):
    """The text is no regular expression, or it takes too long; says which."""


class Patterns:
    """Belongs to the thread that made it."""

    def __init__(self) -> None:
        self._test: Any = None

    def match(self, pattern: str, text: str) -> bool:
        """Whether the pattern is found in the text; raises `BadPattern`."""
        if self._test is None:
            context = quickjs.Context()
            context.set_time_limit(_SECONDS)
            context.set_memory_limit(_MEMORY)
            self._test = context.eval(_TEST)
        try:
            return bool(self._test(pattern, text))
        except quickjs.JSException as error:
            told = str(error).partition("\n")[0]
            raise BadPattern("takes too long" if "interrupted" in told else told) from None
