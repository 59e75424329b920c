"""Test data: any number of runs that look as if they had been lived, for lists, searches and benchmarks.

A few hundred stories are lived once by the real host, in memory; each run is one of them under its own id and time. So
a journal that is made replays, and its run can be retried or forked.
"""

from runs.seeding.making import BATCH, Made, Plan, plan, seed

__all__ = ["BATCH", "Made", "Plan", "plan", "seed"]
