"""Whether the stored bytes of an entry hold some other bytes, asked of the database."""

from typing import Any

from django.db.models import BinaryField, BooleanField, F, Func, Q, Value

from runs.searching.effects import Bytes


class Holds(Func):
    """`Holds(b"...")` is a condition on `RunJournal.entry`."""

    output_field = BooleanField()

    def __init__(self, wanted: bytes) -> None:
        super().__init__(F("entry"), Value(wanted, output_field=BinaryField()))

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="INSTR(%(expressions)s) > 0", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        entry, wanted = self.get_source_expressions()
        sought, looked_in = compiler.compile(wanted), compiler.compile(entry)
        return f"POSITION({sought[0]}::bytea IN {looked_in[0]}) > 0", [*sought[1], *looked_in[1]]


def holding(wanted: Bytes) -> Q:
    """All of these, each in any of its forms."""
    condition = Q()
    for forms in wanted:
        either = Q()
        for form in forms:
            either |= Q(Holds(form))
        condition &= either
    return condition
