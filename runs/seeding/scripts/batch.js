// Several items, a child for each. Made by seedruns.
export default async function ({ items }, ctx) {
  const script = 'export default async (item, ctx) => (await ctx.call("echo", { v: item.name })).length';
  return await ctx.parallel(items.map((name) => () => ctx.delegate({ script, input: { name }, title: `Item ${name}` })));
}
