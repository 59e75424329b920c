// Sends many of the same kind of request, and prints how many were answered with which status.

import { Daybook } from './daybook.mjs';

const [url, secret, account, count] = process.argv.slice(2);
const daybook = new Daybook(url, Buffer.from(secret, 'hex'), account);
const counts = {};
for (let sent = 0; sent < Number(count); sent += 1) {
  const { status } = await daybook.post(await daybook.signed('StartRun', { source: 'export default async () => 1' }));
  counts[status] = (counts[status] ?? 0) + 1;
}
console.log(JSON.stringify(counts));
