// Figures of one region are gathered, and sent after a rest. Made by seedruns.
export default async function ({ region, pages, restDays }, ctx) {
  let sum = 0;
  for (let page = 1; page <= pages; page++) {
    sum += (await ctx.call('echo', { v: page * 10 }, { description: `Page ${page} of ${region}` }));
  }
  await ctx.sleep(ctx.days(restDays));
  return { region, sum };
}
