// Starts a run, follows it, signals it when it waits, and prints a line of JSON for each thing that it saw.

import { Daybook } from './daybook.mjs';

const [url, secret, account] = process.argv.slice(2);
const daybook = new Daybook(url, Buffer.from(secret, 'hex'), account);
const tell = (line) => console.log(JSON.stringify(line));

const source = `export default async function (input, ctx) {
  await ctx.log('info', 'begun', input);
  const event = await ctx.waitForEvent({ signal: 'approved' }, { label: 'Sign-off' });
  return { by: event.payload, input };
}`;
// Numbers of every length, and keys whose order is not the one in which they stand here.
const input = { zebra: 1, a: -0.5, bb: [0, 23, 24, 255, 256, 65536, 4294967296, -1, -25, -9007199254740991] };
Object.assign(input, { floats: [1.5, 0.1, 65504.5, 6.103515625e-5, 5.960464477539063e-8, 3.4e38, 1e300], ü: 'naïve 🙂' });
const request = { source, input, title: 'From Node', clientRequestId: `node ${Date.now()}` };

const started = await daybook.ask('StartRun', request);
const again = await daybook.ask('StartRun', request);
tell({ started: started.run.id, again: again.run.id });
let seq = 0;
let last = Infinity; // of a run that has ended
for await (const frame of daybook.frames(started.run.id)) {
  if (frame._ === 'error') throw new Error(JSON.stringify(frame));
  if (frame._ === 'change' && frame.run.status === 'succeeded') last = frame.run.nextSeq - 1;
  for (const entry of frame._ === 'append' ? frame.entries : []) {
    seq = entry.seq;
    tell({ seq, kind: entry.kind });
    if (entry.kind !== 'wait') continue;
    tell(await daybook.ask('SignalRun', { runId: started.run.id, name: 'approved', payload: 'Node' }));
  }
  if (seq === last) break;
}
const { run } = await daybook.ask('GetRun', { runId: started.run.id });
const { entries } = await daybook.ask('GetRunJournal', { runId: started.run.id, afterSeq: 1 });
tell({ status: run.status, output: run.output, input, rest: entries.map((entry) => entry.seq) });
