// The subscription of a page: one socket that connects again by itself, and says when what is shown may be old.

const SILENT_MS = 40_000; // the server sends a heartbeat every 15 seconds
const STEADY_MS = 5_000;
const PAUSES_MS = [250, 1000, 2000, 3000, 5000];
const FINAL = { 4401: 'signed-out', 4403: 'forbidden', 4400: 'refused' };

/**
 * `subscription()` gives the frame to send after each connect, so that it names what the page has by then.
 * `onFrame(frame)` gets each frame but heartbeats; `onState(state, since)`: live, reconnecting (since: ms of the last
 * sign of life), signed-out, forbidden or refused; after the last three it does not connect again.
 */
export class Feed {
  #socket = null;
  #failures = 0;
  #timer = 0;
  #alive = Date.now();
  #waiting = false; // to connect again

  constructor({ subscription, onFrame, onState }) {
    Object.assign(this, { subscription, onFrame, onState });
    addEventListener('online', () => this.#hurry());
    addEventListener('pageshow', (event) => event.persisted && this.#hurry());
    document.addEventListener('visibilitychange', () => document.hidden || this.#hurry());
    setInterval(() => this.#watch(), 5000);
    this.#connect();
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#waiting = false;
    const address = new URL('/ws/runs', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.#alive = Math.max(this.#alive, Date.now() - SILENT_MS + 10_000); // so long may it take to connect
    const mine = (act) => (event) => socket === this.#socket && act(event);
    socket.addEventListener('open', mine(() => socket.send(JSON.stringify(this.subscription()))));
    socket.addEventListener('message', mine((event) => this.#take(JSON.parse(event.data))));
    socket.addEventListener('close', mine((event) => this.#closed(event.code)));
  }

  #take(frame) {
    this.#alive = Date.now();
    if (frame._ === 'heartbeat') return;
    if (frame._ === 'subscribed') {
      this.onState('live', this.#alive);
      setTimeout((socket) => { if (socket === this.#socket) this.#failures = 0; }, STEADY_MS, this.#socket);
    }
    this.onFrame(frame);
  }

  #closed(code) {
    this.#socket = null;
    if (code in FINAL) {
      this.onState(FINAL[code], this.#alive);
      return;
    }
    this.onState('reconnecting', this.#alive);
    const pause = PAUSES_MS[Math.min(this.#failures++, PAUSES_MS.length - 1)];
    this.#timer = setTimeout(() => this.#connect(), pause * (0.75 + Math.random() / 2));
    this.#waiting = true;
  }

  /** The last word has been said: it does not connect again. */
  end() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #watch() {
    if (this.#socket && Date.now() - this.#alive > SILENT_MS) this.again();
  }

  #hurry() {
    if (!this.#socket && this.#waiting) this.#connect();
  }

  /** Gives the connection up and makes a new one. */
  again() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#closed(0);
  }
}
