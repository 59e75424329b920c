// A first run: a plan, steps, calls side by side, the store, a sleep, a log line. Needs no network; takes about 5 seconds.
//
// Input, all of it optional: {name, baseUrl}. With baseUrl it also asks that server for /healthz, and goes on if it
// gets no answer (the host of baseUrl has to be allowed: DAYBOOK_HTTP_ALLOW_HOSTS).
export default async function (input, ctx) {
  const { name = 'reader', baseUrl = null } = input ?? {};
  await ctx.plan({ title: 'Welcome', steps: ['Greet', 'Count the visit', 'Look around', 'Rest', 'Sum up'] });

  const greeting = await ctx.step('Greet', () =>
    ctx.call('echo', { v: `Welcome to Daybook, ${name}.` }, { description: `Greeting ${name}` }));
  await ctx.log('info', greeting);

  // What store.put does commits together with its result, so a crash counts no visit twice.
  const visits = await ctx.step('Count the visit', async () => {
    const before = await ctx.call('store.get', { key: 'welcome.visits', default: 0 }, { description: 'How often were we here?' });
    await ctx.call('store.put', { key: 'welcome.visits', value: before + 1 }, { description: 'One visit more' });
    return before + 1;
  });

  const [words, server] = await ctx.step('Look around', () => ctx.parallel([
    () => ctx.call('echo', { v: greeting.split(' ').length }, { description: 'Counting words' }),
    () => health(ctx, baseUrl),
  ]));

  // Four sleeps of less than a second stay with their worker; the longer one parks the run, which then holds nothing.
  await ctx.step('Rest', async () => {
    for (let i = 1; i <= 4; i++) {
      await ctx.sleep(500);
      ctx.progress({ fraction: i / 10, label: `Rested ${i / 2} s` });
    }
    await ctx.sleep(ctx.seconds(3));
    ctx.progress({ fraction: 1, label: 'Rested 5 s' });
  });

  return await ctx.step('Sum up', async () => ({
    greeting,
    visits,
    words,
    server,
    endedAt: await ctx.now(), // ms since the epoch
  }));
}

async function health(ctx, baseUrl) {
  if (baseUrl === null) return 'not asked';
  try {
    const answer = await ctx.call('http.request', { url: `${baseUrl}/healthz`, timeout_ms: 2000 }, { description: 'Is the server well?' });
    return answer.status === 200 ? 'well' : `answered ${answer.status}`;
  } catch (error) {
    return `no answer (${error.code})`;
  }
}
