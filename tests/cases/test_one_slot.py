"""C27: as little room as there can be."""

import json

from cases.engines import BOTH
from cases.installation import Installation

from runs.models import Run

pytestmark = BOTH
ENVIRON = {"DAYBOOK_WORKERS": "1", "DAYBOOK_SLOTS": "1"}


def test_c27_five_parents_that_delegate_do_not_starve_their_children(house: Installation) -> None:
    """C27: one worker with one slot, five parents that each delegate, twice deep: the children run; no deadlock."""
    leaf = "export default async (input, ctx) => await ctx.call('tick', {})"
    middle = f"export default async (input, ctx) => await ctx.delegate({json.dumps({'script': leaf})})"
    body = f"return await ctx.delegate({json.dumps({'script': middle})})"
    runs = [house.run(body, title=str(number)) for number in range(5)]
    assert [house.succeeded(run).output for run in runs] == [1] * 5
    assert Run.objects.filter(root__in=[run.pk for run in runs]).count() == 15
