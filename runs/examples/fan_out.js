// Fan-out: one call for each item, all side by side; the items that fail are reported and do not stop the others.
//
// Input, optional: {items}, a list of keys to look up in the store. A blank key fails, which the default list shows.
export default async function (input, ctx) {
  const { items = ['apples', 'pears', ' ', 'welcome.visits'] } = input ?? {};
  await ctx.plan({ title: 'Fan-out', steps: ['Look up', 'Sum up'] });

  let done = 0;
  const outcomes = await ctx.step('Look up', () => ctx.parallelSettled(items.map((item, i) => async () => {
    const value = await ctx.call('store.get', { key: item, default: 'nothing' }, {
      description: `Item ${i + 1} of ${items.length}: ${item}`,
    });
    ctx.progress({ fraction: ++done / items.length, label: `${done} of ${items.length}` });
    return { item, value };
  })));

  return ctx.step('Sum up', () => ({
    found: outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value),
    failed: outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [{ item: items[i], code: outcome.reason.code, message: outcome.reason.message }] : []),
  }));
}
