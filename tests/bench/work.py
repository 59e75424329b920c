"""What the benchmarks have a worker do."""

from typing import Any

SUM = """export default async (input, ctx) => {
  let sum = 0;
  for (let v = 0; v < input.calls; v++) sum += await ctx.call('echo', {v});
  %s
  return sum;
}"""


def claimed(source: str, calls: int) -> Any:
    """A run of that script, held by this process."""
    from runs import queue
    from runs.starting import start

    run = start(source, input={"calls": calls}).run
    return queue.claim("bench", only=run.pk)[0]


def advance(run: Any) -> None:
    from runs.workers.pool import Pool

    Pool().advance(run)
