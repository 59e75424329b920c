// Parts of the page that the server renders again after a change: one fetch at a time, not while nobody looks.

import { refresh as refreshCountdowns } from './countdown.js';
import { localise } from './times.js';

const SOON_MS = 60;
const RELIEF = 8; // a part that takes the server long is asked for less often: an eighth of the time at most

/** `base` is the address of the parts; `onLost(state)` is told when the answer is a sign-in page. */
export class Parts {
  #due = new Map(); // name -> when, in ms of performance.now()
  #rest = new Map(); // name -> until when it is not fetched again
  #timer = 0;
  #busy = false;
  #over = false;

  constructor({ base, onLost }) {
    Object.assign(this, { base, onLost });
    this.places = new Map();
    document.addEventListener('visibilitychange', () => document.hidden || this.#plan());
  }

  /** `place`: {element(), query(), every: least ms between two fetches}; part(): the part's name, if it is not `name`;
   *  before(element) and after(element, what before gave). */
  define(name, place) {
    this.places.set(name, place);
  }

  /** Something that the part shows has changed. */
  touch(name) {
    const at = Math.max(performance.now() + SOON_MS, this.#rest.get(name) ?? 0);
    if (!this.#due.has(name)) this.#due.set(name, at);
    this.#plan();
  }

  /** Nothing is fetched any more. */
  end() {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #plan() {
    clearTimeout(this.#timer);
    if (this.#over || this.#busy || document.hidden || !this.#due.size) return;
    const [name, at] = [...this.#due].reduce((first, other) => (other[1] < first[1] ? other : first));
    this.#timer = setTimeout(() => this.#fetch(name), Math.max(0, at - performance.now()));
  }

  async #fetch(name) {
    this.#busy = true;
    this.#due.delete(name);
    const place = this.places.get(name);
    const wanted = () => `${place.part?.() ?? name}${place.query?.() ?? ''}`;
    const asked = wanted();
    const began = performance.now();
    try {
      const html = await this.get(place.part?.() ?? name, place.query?.());
      if (html !== null && asked === wanted()) { // and nobody has gone elsewhere meanwhile
        const element = place.element();
        const kept = place.before?.(element);
        swap(element, html);
        place.after?.(element, kept);
      }
    } catch {
      this.#due.set(name, performance.now() + 3000); // the socket says whether the server is away
    }
    this.#rest.set(name, performance.now() + Math.max(place.every, RELIEF * (performance.now() - began)));
    this.#busy = false;
    this.#plan();
  }

  /** The markup of a part; null where it has to be left as it is. Rejects where the server does not answer. */
  async get(name, query = '') {
    const address = new URL(this.base, location.href);
    address.pathname = address.pathname.replace(/[^/]+\/$/, `${name}/`);
    address.search = query;
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    if (answer.redirected) {
      this.onLost('signed-out');
      return null;
    }
    if (answer.status === 404) {
      if (!this.#over) this.onLost('gone');
      return null;
    }
    if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status}`);
    return answer.text();
  }
}

/** Puts the server's markup in place of the old. What is open stays open, what is typed stays, the focus stays. */
export function swap(element, html) {
  const made = document.createElement('template');
  made.innerHTML = html;
  const fresh = made.content;
  const scrolled = [...element.querySelectorAll('[data-scroll]')].map((old) => [old.dataset.scroll, old.scrollTop, old.scrollLeft]);
  for (const details of element.querySelectorAll('details[id][open]')) {
    const same = fresh.getElementById(details.id);
    if (same) same.open = true;
  }
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  for (const form of element.querySelectorAll('form[data-keep]')) keep(form, fresh, form.contains(focused));
  const address = focused?.id ? `#${CSS.escape(focused.id)}` : selector(focused);
  localise(fresh);
  element.replaceChildren(fresh);
  refreshCountdowns(element);
  for (const [name, top, left] of scrolled) {
    const same = element.querySelector(`[data-scroll="${name}"]`);
    if (same) [same.scrollTop, same.scrollLeft] = [top, left];
  }
  if (!focused) return;
  if (focused.isConnected) focused.focus({ preventScroll: true });
  else if (address) element.querySelector(address)?.focus({ preventScroll: true });
}

function selector(focused) {
  const href = focused?.getAttribute('href');
  return href ? `a[href="${CSS.escape(href)}"]` : '';
}

/** A form in which somebody has begun to write is not replaced; where its wait is over it says so, and stays readable. */
function keep(form, fresh, focused) {
  const written = [...form.elements].some((field) => field.defaultValue !== undefined && field.type !== 'hidden' && field.value !== field.defaultValue);
  if (!focused && !written) return;
  const same = fresh.querySelector(`form[data-keep="${CSS.escape(form.dataset.keep)}"]`);
  if (same) {
    same.replaceWith(form);
    return;
  }
  if (!written) return;
  const note = form.querySelector('.over') ?? document.createElement('p');
  note.className = 'over notice warning';
  note.setAttribute('role', 'status');
  note.textContent = 'No longer waiting for that. What you have written is kept here until you leave the page.';
  form.prepend(note);
  for (const button of form.querySelectorAll('button')) button.disabled = true;
  fresh.append(form);
}
