// The rows of a run's journal: takes entries as they come, keeps the page still for who reads, holds 500 rows.

import { localise } from './times.js';

const MOST = 500;
const DEEDS_MS = 1500; // least between two looks for what operators have done
const IN_COLUMNS = new Set(['kind', 'callSeq', 'key', 'seq', 'at']);

export class Activity {
  dropped = false; // rows are missing between those in the page and those to come: the page's are let go, for no gap
  #waiting = []; // entries that are not in the page yet, in order of seq
  #scheduled = false;
  #held = false;

  /** `element` is #activity of the page. */
  constructor(element) {
    this.element = element;
    this.list = element.querySelector('#entries');
    this.fresh = element.querySelector('#fresh');
    this.older = element.querySelector('#older');
    this.blank = element.querySelector('#row');
    this.follows = 'follows' in element.dataset;
    this.newestFirst = element.dataset.order === 'newest';
    this.show = element.dataset.show;
    this.last = Number(element.dataset.last);
    this.told = new Set([...this.list.querySelectorAll('.deed')].map((deed) => deed.id));
    this.fresh.addEventListener('click', () => this.#release());
    this.older.addEventListener('click', (event) => this.#loadOlder(event));
    this.onMove = () => this.#held && this.#atLiveEnd() && this.#release(false);
    this.onSeen = () => document.hidden || this.lookForDeeds();
    addEventListener('scroll', this.onMove, { passive: true });
    document.addEventListener('visibilitychange', this.onMove);
    document.addEventListener('visibilitychange', this.onSeen);
  }

  /** Call it before the element leaves the page. */
  close() {
    removeEventListener('scroll', this.onMove);
    document.removeEventListener('visibilitychange', this.onMove);
    document.removeEventListener('visibilitychange', this.onSeen);
    clearTimeout(this.looking);
    this.closed = true;
  }

  /** What operators have done since the page was made, which is in no journal: asked for soon, at most now and then. */
  lookForDeeds() {
    if (!this.follows || this.looking || !['', 'operators'].includes(this.show)) return;
    this.looking = setTimeout(() => this.#takeDeeds(), Math.max(50, (this.looked ?? -DEEDS_MS) + DEEDS_MS - performance.now()));
  }

  async #takeDeeds() {
    const run = document.getElementById('run').dataset;
    const answer = await fetch(`${run.entries}?show=operators`, { headers: { accept: 'text/html' } }).catch(() => null);
    this.looking = 0;
    this.looked = performance.now();
    if (!answer?.ok || answer.redirected || this.closed) return;
    const made = document.createElement('template');
    made.innerHTML = await answer.text();
    const fresh = [...made.content.querySelectorAll('.deed')].filter((deed) => !this.told.has(deed.id) && Number(deed.id.slice(5)) > run.at);
    for (const deed of fresh.reverse()) {
      this.told.add(deed.id);
      this.#waiting.push({ deed });
    }
    this.#schedule();
  }

  append(entries) {
    if (!this.follows) return;
    for (const entry of entries) {
      if (entry.seq <= this.last) continue;
      if (entry.seq > this.last + 1) this.dropped = true; // more was missed than is sent again
      this.last = entry.seq;
      if (!this.show || entry.group === this.show) this.#waiting.push(entry);
    }
    if (this.#waiting.length > MOST) {
      this.#waiting = this.#waiting.slice(-MOST);
      this.dropped = true;
    }
    this.#schedule();
  }

  #schedule() {
    if (this.#scheduled || !this.#waiting.length) return;
    this.#scheduled = true;
    const act = () => {
      this.#scheduled = false;
      if (!this.closed) this.#flush();
    };
    if (document.hidden) setTimeout(act, 500);
    else requestAnimationFrame(act);
  }

  #flush() {
    if (this.#atLiveEnd()) this.#place();
    else this.#hold();
  }

  /** Whether rows can come in without moving what somebody reads. */
  #atLiveEnd() {
    if (!this.newestFirst) return true; // they come in below everything
    if (this.list.hidden) return true;
    const reading = this.list.contains(document.activeElement) || this.list.querySelector('details[open]');
    return !reading && this.element.getBoundingClientRect().top > -40;
  }

  #hold() {
    const count = this.#waiting.length;
    this.#held = true;
    this.fresh.hidden = false;
    this.fresh.textContent = count >= MOST ? `${MOST} and more new entries` : `${count} new ${count === 1 ? 'entry' : 'entries'}`;
  }

  #release(asked = true) {
    this.#held = false;
    this.#place();
    if (!asked) return;
    this.element.scrollIntoView({ block: 'start' });
    this.list.querySelector('.entry-seq')?.focus({ preventScroll: true });
  }

  #place() {
    const entries = this.#waiting;
    this.#waiting = [];
    this.#held = false;
    this.fresh.hidden = true;
    if (!entries.length) return; // nothing that this view shows
    if (this.dropped) this.list.replaceChildren();
    const rows = document.createDocumentFragment();
    for (const entry of this.newestFirst ? entries.reverse() : entries) rows.append(entry.deed ?? this.#row(entry));
    localise(rows);
    if (this.newestFirst) this.list.prepend(rows);
    else this.list.append(rows);
    this.list.hidden = false;
    this.element.querySelector('#no-entries').hidden = true;
    this.#trim();
  }

  #trim() {
    const excess = this.list.childElementCount - MOST;
    for (let n = 0; n < excess; n++) (this.newestFirst ? this.list.lastElementChild : this.list.firstElementChild).remove();
    if (excess > 0 || this.dropped) this.#olderFrom((this.newestFirst ? this.list.lastElementChild : this.list.firstElementChild).dataset.seq);
    this.dropped = false;
  }

  #olderFrom(seq) {
    const link = this.older.querySelector('a');
    const address = new URL(link.href, location.href);
    address.searchParams.set('before', seq);
    link.href = address.search;
    link.dataset.before = seq;
    this.older.hidden = false;
  }

  /** Loads older rows in place while there is room for them; otherwise the link leads to a page of them. */
  async #loadOlder(event) {
    const link = event.target.closest('a');
    if (!link || this.list.childElementCount + 200 > MOST || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const url = `${document.getElementById('run').dataset.entries}${new URL(link.href, location.href).search}`;
    const answer = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => null);
    if (!answer?.ok || answer.redirected) {
      location.assign(link.href);
      return;
    }
    const made = document.createElement('template');
    made.innerHTML = await answer.text();
    localise(made.content);
    const rows = [...made.content.querySelectorAll('.entry')];
    const first = this.newestFirst ? rows[0] : rows.at(-1);
    if (this.newestFirst) this.list.append(...rows);
    else this.list.prepend(...rows);
    this.older.replaceWith(made.content.querySelector('#older'));
    this.older = this.element.querySelector('#older');
    this.older.addEventListener('click', (again) => this.#loadOlder(again));
    first?.querySelector('.entry-seq').focus();
  }

  /** The markup of templates/runs/parts/row.html with an entry in it; text only ever goes in as text. */
  #row(entry) {
    const row = this.blank.content.firstElementChild.cloneNode(true);
    const find = (name) => row.querySelector(name);
    row.id = `entry-${entry.seq}`;
    row.dataset.seq = entry.seq;
    row.dataset.tone = entry.tone;
    row.classList.toggle('gone', entry.superseded !== null);
    const link = find('.entry-seq');
    link.href = `#${row.id}`;
    link.textContent = entry.seq;
    link.ariaLabel = `Entry ${entry.seq}`;
    const time = find('time');
    time.dateTime = new Date(entry.at).toISOString();
    time.title = '';
    find('.entry-kind').textContent = entry.kind;
    find('summary bdi').textContent = entry.line;
    const call = find('.entry-call');
    call.hidden = !entry.callSeq;
    call.href = `?tab=calls&call=${entry.callSeq}#call-${entry.callSeq}`;
    call.textContent = `call ${entry.callSeq}`;
    const line = find('.entry-source');
    line.hidden = !entry.body.line;
    line.href = `?tab=source#line-${entry.body.line}`;
    line.textContent = `line ${entry.body.line}`;
    const gone = find('.entry-gone');
    gone.hidden = entry.superseded === null;
    gone.textContent = `left behind by attempt ${entry.superseded}`;
    const rest = Object.entries(entry.body).filter(([name]) => !IN_COLUMNS.has(name));
    const pre = find('pre');
    pre.hidden = !rest.length;
    pre.textContent = JSON.stringify(Object.fromEntries(rest), null, 2);
    const cut = find('.entry-cut');
    const sizes = Object.entries(entry.cut);
    cut.hidden = !sizes.length;
    cut.textContent = sizes.map(([name, bytes]) => `${name} is cut: it has ${size(bytes)}.`).join(' ');
    return row;
  }
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
