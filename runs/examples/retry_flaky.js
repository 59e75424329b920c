// Retries: a call that fails and may succeed later is tried again with growing pauses; what still fails can be caught.
//
// Input, all of it optional: {url, maxAttempts, backoffMs}. Without url it asks a host that does not exist, so that every
// attempt fails. http.request fails when there is no connection or no answer in time, and is then retried; a status such
// as 503 is an answer, so the script itself decides to ask again.
export default async function (input, ctx) {
  const { url = 'http://daybook.invalid/', maxAttempts = 3, backoffMs = 200 } = input ?? {};
  await ctx.plan({ title: 'Retry', steps: ['Ask until it answers', 'Sum up'] });

  let answer = null;
  let failure = null;
  try {
    answer = await ctx.step('Ask until it answers', async () => {
      for (let asked = 1; ; asked++) {
        const { status, body } = await ctx.call('http.request', { url, timeout_ms: 2000 }, {
          description: `Asking, time ${asked}`,
          retry: { maxAttempts, backoffMs, maxBackoffMs: 5000 },
        });
        if (status < 500 || asked === maxAttempts) return { status, body, asked };
        await ctx.log('warn', `the server answered ${status}`, { asked });
        await ctx.sleep(backoffMs);
      }
    });
  } catch (error) {
    failure = { code: error.code, message: error.message, callSeq: error.callSeq };
    await ctx.log('error', 'gave up', failure);
  }

  return ctx.step('Sum up', () => ({ reached: answer !== null, answer, failure }));
}
