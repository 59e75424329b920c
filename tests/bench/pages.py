"""`make bench-pages`: how fast the pages are in a real browser on this machine, as one JSON object on standard output.

Web, workers, clock and Chromium share the machine, as they share a developer's. `--postgres URL` and `--redis URL` name
empty databases to use instead of the embedded default.
"""

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from browser.standalone import served
from helpers import eventually
from playwright.sync_api import Page, sync_playwright

if TYPE_CHECKING:
    from browser.site import Site

    from runs.models import Run

LOADS = 5
CHILDREN = 200
OF_EACH = 98  # lines of a child's journal; with its wait and the root's calls there are 20,000 entries in the tree

# A call and its result about ten times a second, once a page is there to watch.
STEADY = """
  await ctx.waitForEvent({ signal: 'go' });
  for (let i = 0; i < input.calls; i++) await ctx.call('slow', { ms: 90, v: i });
"""
CHILD = """export default async (lines, ctx) => {
  for (let i = 1; i <= lines; i++) await ctx.log('info', `Line ${i}`);
  await ctx.waitForEvent({ signal: 'end' });
}"""
TREE = """
  await ctx.parallel(Array.from({ length: input.children }, (_, i) => () =>
    ctx.delegate({ title: `Child ${i + 1}`, script: input.script, input: input.lines })));
"""
# Notes when each row of the journal was there to see. The page puts rows into the document in an animation frame, just
# before it paints; a timer that is set there fires when that frame has been painted.
WATCH = """() => {
  const seen = window.seenRows = {};
  const note = (row) => setTimeout(() => { seen[row.id] ??= Date.now(); });
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes) if (node.id?.startsWith('entry-')) note(node);
  }).observe(document.body, { childList: true, subtree: true });
}"""
TIMES = """async () => {
  const [load] = performance.getEntriesByType('navigation');
  const paint = await new Promise((found) => new PerformanceObserver((list) => {
    const [first] = list.getEntriesByName('first-contentful-paint');
    if (first) found(first.startTime);
  }).observe({ type: 'paint', buffered: true }));
  return { interactive: load.domContentLoadedEventEnd, paint };
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", default="", help="URL of an empty database to use in place of SQLite")
    parser.add_argument("--redis", default="", help="URL of an empty Redis database to use")
    parser.add_argument("--calls", type=int, default=100)
    options = parser.parse_args()
    environ = {"DATABASE_URL": options.postgres, "REDIS_URL": options.redis}
    with served(**environ) as site, sync_playwright() as playwright:
        from browser.windows import Windows, launch

        windows = Windows(launch(playwright), site.url)
        page = windows.open(site.cookie("ada"))
        figures = {
            "database": "postgresql" if options.postgres else "sqlite",
            "redis": bool(options.redis),
            "load_average": os.getloadavg()[0],  # of what else the machine did: it decides about these figures
            **append_to_visible(site, page, options.calls),
            **of_5000_entries(site, page),
            **of_a_tree(site, page),
        }
        windows.close()
        print(json.dumps(figures, indent=2))


def append_to_visible(site: "Site", page: Page, calls: int) -> dict[str, Any]:
    """Milliseconds from the time that an entry bears (before its commit) until a person can see it."""
    from runs.signals import send

    run = site.once_parked(site.begun(STEADY, input={"calls": calls}))
    page.goto(f"/runs/{run.pk}/")
    page.evaluate(WATCH)
    site.ask(send, run.pk, "go")
    site.ask(site.ended, run, 120)
    written = site.ask(times_of_entries, run)
    # Not wait_for_function, which the policy of the pages forbids.
    eventually(lambda: page.evaluate("last => window.seenRows['entry-' + last]", max(written)))
    seen = page.evaluate("window.seenRows")
    delays = [seen[f"entry-{seq}"] - at for seq, at in written.items() if f"entry-{seq}" in seen]
    return {
        "appends_measured": len(delays),
        "append_to_visible_median_ms": statistics.median(delays),
        "append_to_visible_p95_ms": statistics.quantiles(delays, n=20)[-1],
    }


def times_of_entries(run: "Run") -> dict[int, int]:
    from journal import store

    return {entry.seq: entry.at for entry in store.read(run.journal_id)}


def of_5000_entries(site: "Site", page: Page) -> dict[str, Any]:
    """A run's page of almost the most entries that a journal takes."""
    from browser.scenes import MANY

    run = site.once_parked(site.begun(MANY, input={"entries": 4_990}))
    times = load_times(page, f"/runs/{run.pk}/")
    return {
        "page_of_5000_entries_interactive_ms": times["interactive"],
        "page_of_5000_entries_first_paint_ms": times["paint"],
        "page_of_5000_entries_rows": page.locator("[id^=entry-]").count(),
    }


def of_a_tree(site: "Site", page: Page) -> dict[str, Any]:
    """The root of 200 children with 20,000 entries in all."""
    fields = {"children": CHILDREN, "script": CHILD, "lines": OF_EACH}
    run = site.ask(site.parked, site.begun(TREE, input=fields), 180)
    entries = site.ask(until_all_are_parked, run)
    times = load_times(page, f"/runs/{run.pk}/")
    return {
        "tree_entries": entries,
        "page_of_the_tree_first_paint_ms": times["paint"],
        "page_of_the_tree_interactive_ms": times["interactive"],
    }


def until_all_are_parked(root: "Run") -> int:
    """How many entries there are in the tree."""
    from journal.models import RunJournal
    from runs.models import Run

    tree = Run.objects.filter(root=root)
    eventually(lambda: tree.filter(status="waiting").count() == CHILDREN + 1, within=180, every=0.2)
    return RunJournal.objects.filter(run__in=tree.values("journal")).count()


def load_times(page: Page, place: str) -> dict[str, float]:
    """Milliseconds from the start of the navigation, medians; the first load fills the caches."""
    loads = []
    for _ in range(LOADS + 1):
        page.goto(place)
        loads.append(page.evaluate(TIMES))
    return {name: round(statistics.median(load[name] for load in loads[1:])) for name in loads[0]}


if __name__ == "__main__":
    main()
