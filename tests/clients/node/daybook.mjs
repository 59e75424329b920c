// A client of the signed API, written from runs/api/README.md.

import { webcrypto } from 'node:crypto';
import * as ed25519 from '@noble/ed25519';
import { Decoder } from 'cbor-x';
import WebSocket from 'ws';
import { canonical } from './canonical.mjs';

globalThis.crypto ??= webcrypto; // before Node 20
const decoder = new Decoder({ int64AsNumber: true, mapsAsObjects: true, useRecords: false });

export class Daybook {
  #url;
  #secret;
  #account;

  /** `secret` is the Ed25519 private key, 32 bytes; `account` the name of the user for whom its key is registered. */
  constructor(url, secret, account) {
    this.#url = url;
    this.#secret = secret;
    this.#account = account;
  }

  /** The bytes of a signed message. `change(envelope)` may spoil it before it is signed. */
  async signed(name, fields, change = (envelope) => envelope) {
    const envelope = change({
      type: 'RunsAction',
      signer: await ed25519.getPublicKeyAsync(this.#secret),
      account: this.#account,
      action: { _: name, ts: Date.now(), nonce: crypto.getRandomValues(new Uint8Array(24)), ...fields },
    });
    const sig = await ed25519.signAsync(canonical(envelope), this.#secret);
    return canonical({ ...envelope, sig });
  }

  /** What the server answers to these bytes: `{status, answer}`. */
  async post(bytes) {
    const response = await fetch(`${this.#url}/api/message`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/cbor' },
      body: bytes,
    });
    return { status: response.status, answer: decoder.decode(Buffer.from(await response.arrayBuffer())) };
  }

  /** The answer of an action; throws what is refused. */
  async ask(name, fields) {
    const { status, answer } = await this.post(await this.signed(name, fields));
    if (answer._ === 'Error') throw new Error(`${status} ${answer.code}: ${answer.message}`);
    return answer;
  }

  /** The frames of a subscription to a run's tree; `bytes` instead of a Subscribe of its own. Ends with the socket, whose
   * close code is then in `closed`. */
  async *frames(runId, { bytes, closed = {} } = {}) {
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/ws/api`);
    const arrived = [];
    let wake = () => {};
    const add = (frame) => (arrived.push(frame), wake());
    socket.on('open', async () => socket.send(bytes ?? (await this.signed('Subscribe', { key: `runs/${runId}` }))));
    socket.on('message', (data) => add(JSON.parse(data.toString())));
    socket.on('close', (code) => ((closed.code = code), add(null)));
    socket.on('error', (error) => add({ _: 'lost', message: error.message }));
    try {
      for (;;) {
        while (!arrived.length) await new Promise((resolve) => (wake = resolve));
        const frame = arrived.shift();
        if (frame === null) return;
        yield frame;
      }
    } finally {
      socket.close();
    }
  }
}
