// Sends messages that must be refused, and prints a line of JSON with what came back for each.

import { randomBytes } from 'node:crypto';
import { encode } from 'cbor-x';
import { canonical } from './canonical.mjs';
import { Daybook } from './daybook.mjs';

const [url, secret, account, revoked, runId] = process.argv.slice(2);
const key = Buffer.from(secret, 'hex');
const daybook = new Daybook(url, key, account);
const start = { source: 'export default async () => 1', title: 'Must not be' };
const spoiled = (change) => daybook.signed('StartRun', start, change);

function flipped(bytes, place) {
  const copy = Uint8Array.from(bytes);
  copy[place] ^= 1;
  return copy;
}

/** The place of the text in the bytes. */
function placeOf(bytes, text) {
  return Buffer.from(bytes).indexOf(text);
}

const good = await daybook.signed('ListRuns', {});
await daybook.post(good);
const sample = await spoiled();
const messages = {
  'another title': flipped(sample, placeOf(sample, 'Must not')),
  'another signature': flipped(sample, placeOf(sample, 'sig') + 10),
  'from a minute ago': await spoiled((e) => ({ ...e, action: { ...e.action, ts: Date.now() - 60_000 } })),
  'from a minute ahead': await spoiled((e) => ({ ...e, action: { ...e.action, ts: Date.now() + 60_000 } })),
  'twice': good,
  'of an unknown key': await new Daybook(url, randomBytes(32), account).signed('StartRun', start),
  'of a revoked key': await new Daybook(url, Buffer.from(revoked, 'hex'), account).signed('StartRun', start),
  'of another account': await new Daybook(url, key, 'nobody').signed('StartRun', start),
  'with a short nonce': await spoiled((e) => ({ ...e, action: { ...e.action, nonce: randomBytes(15) } })),
  'with one field more': await spoiled((e) => ({ ...e, more: 1 })),
  'not canonical': encode({ type: 'RunsAction', signer: key, sig: key, account, action: {} }),
  'with a byte behind it': Buffer.concat([sample, Uint8Array.of(0)]),
  'too large': canonical({ type: 'x'.repeat(3 << 20) }),
};

for (const [name, bytes] of Object.entries(messages)) {
  const { status, answer } = await daybook.post(bytes);
  console.log(JSON.stringify({ name, status, code: answer.code }));
}

const subscribe = await daybook.signed('Subscribe', { key: `runs/${runId}` });
const frames = {
  'another byte': flipped(subscribe, placeOf(subscribe, 'runs/') + 5),
  'a minute ago': await daybook.signed('Subscribe', { key: `runs/${runId}` }, (e) => ({ ...e, action: { ...e.action, ts: Date.now() - 60_000 } })),
  'good': subscribe,
  'twice': subscribe,
  'of another account': await new Daybook(url, key, 'nobody').signed('Subscribe', { key: `runs/${runId}` }),
};
for (const [name, bytes] of Object.entries(frames)) {
  for await (const frame of daybook.frames(runId, { bytes })) {
    console.log(JSON.stringify({ name: `socket: ${name}`, frame: frame._, code: frame.code }));
    break;
  }
}
