// An order is charged, invoiced and kept. Made by seedruns.
export default async function (order, ctx) {
  await ctx.plan({ title: 'Invoice', steps: ['Charge', 'Keep'] });
  const charged = await ctx.step('Charge', () => ctx.call('http.request',
    { url: 'https://bank.example/charge', method: 'POST', json: { order: order.number, amount: order.amount } },
    { description: `Charging order ${order.number}` }));
  if (charged.status >= 400) throw new Error(`the bank refused order ${order.number}`);
  await ctx.step('Keep', () => ctx.call('store.put', { key: `invoice/${order.number}`, value: order.amount }));
  ctx.log('info', 'invoiced', { order: order.number });
  return { invoice: order.number, amount: order.amount };
}
