// Prints the body of the test vector in runs/api/README.md.

import { Daybook } from './daybook.mjs';

const counted = (length) => Uint8Array.from({ length }, (_, index) => index);
const fields = { ts: 1767225600000, nonce: counted(16), runId: '01jgfjjz0000000000000000aa', afterSeq: 7 };
const message = await new Daybook('', counted(32), 'ada').signed('GetRunJournal', fields);
console.log(JSON.stringify({ body: Buffer.from(message).toString('hex') }));
