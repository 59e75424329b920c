"""Runs to look at: one of each kind that a page shows differently, as people might have started them."""

from browser.site import Site
from runs.cancelling import cancel
from runs.models import Run
from runs.supervisor.firstrun import EXAMPLE

REPORT = """
  await ctx.plan({ title: 'Quarterly report', steps: ['Collect the figures', 'Sign-off', 'Publish'] });
  const figures = await ctx.step('Collect the figures', () => ctx.parallel(
    ['North', 'South', 'West'].map((region, i) => () =>
      ctx.call('echo', { region, total: 1200 + 310 * i }, { description: `Asking ${region} for its figures` }))));
  await ctx.log('info', 'All regions have answered', { regions: figures.length });

  const answer = await ctx.step('Sign-off', () =>
    ctx.waitForEvent({ signal: 'approved' }, { timeout: ctx.hours(8), label: 'Sign-off by finance' }));
  if (!answer) throw new Error('Nobody has signed off in time.');

  await ctx.step('Publish', () => ctx.call('store.put',
    { key: 'report/2026-q3', value: { figures, by: answer.payload } }, { description: 'Publishing the report' }));
  return { published: 'report/2026-q3', by: answer.payload };
"""

# Its second call fails; `MENDED` reaches the end with the result of the first.
INVOICE = """
  const { number = '2024-17' } = input ?? {};
  const invoice = await ctx.call('echo', { number, total: 4200 }, { description: `Reading invoice ${number}` });
  await ctx.log('info', `Invoice ${number} is due`, invoice);
  const receipt = await ctx.call('http.request',
    { url: `http://127.0.0.1:9/invoices/${number}`, method: 'POST' }, { description: 'Sending it to the bank' });
  return { number, receipt: receipt.status };
"""
MENDED = INVOICE.replace("'http.request'", "'echo'").replace(
    "{ url: `http://127.0.0.1:9/invoices/${number}`, method: 'POST' }", "{ status: 202 }"
)

FAMILY = """
  const child = (title, script, of) => ctx.delegate({ title, script, input: of });
  const look = `export default async (region, ctx) =>
    ctx.call('echo', { region }, { description: 'Looking at the shelves' })`;
  const ask = `export default async (region, ctx) =>
    ctx.waitForEvent({ signal: 'counted' }, { label: 'Somebody to count the ' + region })`;
  const rest = `export default async (region, ctx) => {
    await ctx.sleep(ctx.hours(20));
    return region;
  }`;
  const [north, south, west] = await ctx.parallel([
    () => child('Stock of the north', look, 'north'),
    () => child('Stock of the south', ask, 'south'),
    () => child('Stock of the west', rest, 'west'),
  ]);
  return { north, south, west };
"""

SLEEPER = """
  await ctx.log('info', 'The reminder is set');
  await ctx.sleep(ctx.hours(3));
  return 'reminded';
"""

# Its call goes on until its gate is opened.
BUSY = """
  ctx.progress({ fraction: 0.4, label: '2 of 5 shelves' });
  return ctx.call('gate', { name: input.gate }, { description: 'Counting the shelves' });
"""

# Text of a script that would do harm if a page took it for anything but text.
HARMFUL = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
BIDI = "\u202egnp.tpircs\u202c \u2067\u05d0\u05d1"
HOSTILE = """
  const text = input.text;
  await ctx.plan({ title: text, steps: [text] });
  await ctx.log('info', text, { [text]: text });
  await ctx.step(text, () => ctx.call('echo', { v: text }, { description: text }));
  ctx.progress({ fraction: 0.5, label: text });
  try { await ctx.call('echo', { wrong: text }) } catch (error) { await ctx.log('error', error.message) }
  const end = await ctx.waitForEvent({ signal: 'end' }, { label: text });
  if (end.payload === 'fail') throw new Error(text);
  return { text, long: 'x'.repeat(input.size) };
"""

# Lines as it is told, by signals.
TALKER = """
  for (let told = 0; told < input.times; told++) {
    const { payload } = await ctx.waitForEvent({ signal: 'tell' }, { label: 'A word' });
    for (let i = 1; i <= payload; i++) await ctx.log('info', `Word ${i} of ${payload}`);
  }
"""

MANY = """
  for (let i = 1; i <= input.entries; i++) await ctx.log('info', `Line ${i} of ${input.entries}`);
  await ctx.waitForEvent({ signal: 'end' }, { label: 'The end' });
"""


def all_of_them(site: Site) -> dict[str, Run]:
    """Name -> run, each standing where it is to be looked at."""
    runs = {
        "succeeded": site.begun_from(
            EXAMPLE.read_text(encoding="utf-8"), title="Welcome to Daybook", input={"name": "Ana"}
        ),
        "family": site.begun(FAMILY, title="Stock of all regions"),
        "failed": site.begun(INVOICE, title="Invoice 2024-17", input={"number": "2024-17"}),
        "waiting": site.begun(REPORT, title="Report of the third quarter"),
        "sleeping": site.begun(SLEEPER, title="Reminder: water the plants"),
        "running": site.begun(BUSY, title="Stocktaking", input={"gate": "scene"}),
        "canceled": site.begun(SLEEPER, title="Reminder: call the dentist"),
    }
    for name in ("waiting", "sleeping", "family", "canceled"):
        site.once_parked(runs[name])
    site.ask(cancel, runs["canceled"].pk, "It is a holiday")
    for name in ("succeeded", "failed"):
        site.once_ended(runs[name])
    return runs
