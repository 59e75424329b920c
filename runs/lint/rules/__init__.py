"""One file per rule, or per family of rules that look at the same nodes. A rule takes a script and yields findings."""

from collections.abc import Callable, Iterator

from runs.lint.finding import Finding
from runs.lint.script import Script

from .await_placement import await_placement
from .ctx_calls import ctx_calls
from .ctx_parallel import ctx_parallel
from .default_export import default_export
from .early_errors import early_errors
from .math_random import math_random
from .module_syntax import module_syntax
from .refused_globals import refused_globals
from .syntax_errors import syntax_errors
from .unknown_names import unknown_names
from .unparsable_text import unparsable_text

Rule = Callable[[Script], Iterator[Finding]]

# These hold for whatever could be parsed of a source with syntax errors.
BROKEN_TREE_RULES: tuple[Rule, ...] = (unparsable_text, syntax_errors, module_syntax, refused_globals, math_random)
RULES: tuple[Rule, ...] = (
    *BROKEN_TREE_RULES,
    default_export,
    await_placement,
    early_errors,
    unknown_names,
    ctx_calls,
    ctx_parallel,
)
