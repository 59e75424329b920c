"""A condition on many values that is one parameter: no database's limit of parameters is met, however large a tree."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import connection


class Among(NamedTuple):
    """`condition` follows the name of a column."""

    condition: str
    values: list[Any]


def among(values: Iterable[str]) -> Among:
    """`column IN (...)` of texts. An array also tells PostgreSQL how many there are, so that it takes the index."""
    if connection.vendor == "postgresql":
        return Among("= ANY(%s)", [list(values)])
    return Among("IN (SELECT value FROM json_each(%s))", [json.dumps(list(values))])
