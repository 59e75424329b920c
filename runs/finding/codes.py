"""The error codes that there are, those of tools among them, found without reading the runs that have them."""

from django.db import connection

from runs.access import Person, Verb, may
from runs.codes import Code

MOST = 100
# From each code to the next one of its index, however many runs have it.
_SQL = """WITH RECURSIVE codes(code) AS (
    SELECT min(error_code) FROM runs_run WHERE NOT (error_code = '')
    UNION ALL
    SELECT (SELECT min(error_code) FROM runs_run WHERE NOT (error_code = '') AND error_code > codes.code)
    FROM codes WHERE codes.code IS NOT NULL
)
SELECT code FROM codes WHERE code IS NOT NULL LIMIT %s
"""


def codes(user: Person) -> list[str]:
    """By their alphabet, those that some run has or had as its error; of the platform alone for who sees only some of
    the runs. One query of a probe for each code."""
    if not may(user, Verb.VIEW):
        return sorted(Code)
    with connection.cursor() as cursor:
        cursor.execute(_SQL, [MOST])
        return [code for (code,) in cursor.fetchall()]
