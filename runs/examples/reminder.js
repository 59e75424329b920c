// A reminder: the run parks until it is time, holding no worker and no memory, and then sends a mail.
//
// Input, all of it optional: {to, text, afterMinutes, afterMs}. It waits one minute unless told otherwise.
export default async function (input, ctx) {
  const { to = 'you@example.com', text = 'You asked to be reminded.', afterMinutes = 1, afterMs = null } = input ?? {};
  const pause = afterMs ?? ctx.minutes(afterMinutes);
  await ctx.plan({ title: 'Reminder', steps: ['Wait', 'Remind'] });

  const begun = await ctx.now();
  await ctx.step('Wait', () => ctx.sleep(pause));
  const waitedMs = await ctx.now() - begun;

  const mail = await ctx.step('Remind', () => ctx.call('mail.send', { to, subject: 'A reminder', body: text }, {
    description: `Reminding ${to}`,
    retry: { maxAttempts: 10, backoffMs: ctx.minutes(1), maxBackoffMs: ctx.hours(1) },
  }));
  return { waitedMs, messageId: mail.message_id };
}
