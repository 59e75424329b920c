// Somebody has to agree before it goes on. Made by seedruns.
export default async function (request, ctx) {
  await ctx.call('echo', { v: request.what }, { description: `Asking ${request.team} about ${request.what}` });
  const answer = await ctx.waitForEvent({ signal: 'approved' }, { label: `Approval by ${request.team}` });
  return { approved: answer.payload };
}
