// A report as it might run every night: asks a server in parallel, keeps the report in the store, mails it.
//
// Input: {baseUrl, paths?, to?}. baseUrl is the platform's own address, such as http://127.0.0.1:8000; its host has to be
// allowed (DAYBOOK_HTTP_ALLOW_HOSTS=127.0.0.1). paths is a list, by default ["/healthz", "/login/"]; without `to` nothing
// is mailed.
export default async function (input, ctx) {
  const { baseUrl, paths = ['/healthz', '/login/'], to = null } = input ?? {};
  if (typeof baseUrl !== 'string') throw new Error('needs {baseUrl}, such as {"baseUrl": "http://127.0.0.1:8000"}');
  await ctx.plan({ title: 'Nightly report', steps: ['Ask', 'Keep', 'Mail'] });
  const day = Math.floor(await ctx.now() / ctx.days(1)); // days since 1970, so that the report has one key a day

  const answers = await ctx.step('Ask', () => ctx.parallelSettled(paths.map((path) => () =>
    ctx.call('http.request', { url: baseUrl + path, timeout_ms: 5000 }, {
      description: `Asking for ${path}`,
      retry: { maxAttempts: 3, backoffMs: 200 },
    }))));
  const checks = answers.map(({ status, value, reason }, i) => ({
    path: paths[i],
    ok: status === 'fulfilled' && value.status === 200,
    said: status === 'fulfilled' ? `${value.status}, ${value.bytes} bytes` : reason.code,
  }));
  const report = { day, well: checks.filter((check) => check.ok).length, of: checks.length, checks };

  await ctx.step('Keep', () =>
    ctx.call('store.put', { key: `nightly-report.${day}`, value: report }, { description: `Keeping the report of day ${day}` }));

  await ctx.step('Mail', async () => {
    if (to === null) return ctx.log('info', 'nobody to mail it to');
    return ctx.call('mail.send', {
      to,
      subject: `${report.well} of ${report.of} pages are well`,
      body: checks.map((check) => `${check.ok ? 'ok    ' : 'FAILED'} ${check.path}: ${check.said}`).join('\n'),
    }, { description: `Mailing it to ${to}`, retry: { maxAttempts: 5, backoffMs: ctx.minutes(1) } });
  });
  return report;
}
