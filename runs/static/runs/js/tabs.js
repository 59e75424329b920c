// Views of the run without leaving the page, and exact places in them: #entry-12, #call-17, #line-42.

import { open } from './calls.js';
import { swap } from './parts.js';

const WHERE = {
  entry: (n) => `?tab=activity&at=${n}#entry-${n}`,
  call: (n) => `?tab=calls&call=${n}#call-${n}`,
  line: (n) => `?tab=source#line-${n}`,
};

/** `shown(name)` is told after a tab's content has come; `leaving()` before it goes. */
export class Tabs {
  constructor({ page, parts, shown, leaving }) {
    Object.assign(this, { page, parts, shown, leaving });
    this.panel = page.querySelector('#tab');
    this.nav = page.querySelector('.tabs');
    page.addEventListener('click', (event) => this.#click(event));
    addEventListener('popstate', () => this.#visit(location.href, false));
    addEventListener('hashchange', () => this.point());
    this.#reveal();
  }

  /** On a phone the tabs are wider than the page: the chosen one is scrolled into sight. */
  #reveal() {
    const chosen = this.nav.querySelector('[aria-current]');
    this.nav.scrollLeft = chosen.offsetLeft - this.nav.offsetLeft - 16;
  }

  get name() {
    return this.page.dataset.tab;
  }

  /** What the address asks of the tab, for the part. */
  get query() {
    return location.search;
  }

  #click(event) {
    const link = event.target.closest('.tabs a, a[data-goto]');
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#visit(link.href, true);
  }

  async #visit(href, push) {
    const address = new URL(href, location.href);
    const name = address.searchParams.get('tab') ?? 'activity';
    const there = name === this.name && address.hash && document.getElementById(address.hash.slice(1));
    if (push) history.pushState(null, '', address);
    if (there) {
      this.point();
      return;
    }
    const visit = (this.visit = Symbol(name));
    this.panel.setAttribute('aria-busy', 'true');
    const html = await this.parts.get(name, address.search).catch(() => null);
    if (visit !== this.visit) return; // somebody was faster
    this.panel.removeAttribute('aria-busy');
    if (html === null) {
      location.assign(address);
      return;
    }
    this.leaving();
    this.page.dataset.tab = name;
    for (const link of this.nav.querySelectorAll('a')) {
      if (link.dataset.tab === name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      if (link.dataset.tab === name) this.panel.setAttribute('aria-label', link.textContent);
    }
    this.#reveal();
    swap(this.panel, html);
    this.shown(name);
    this.point();
  }

  /** Shows what the address points at, and goes where it is if it is not here. */
  point() {
    const [, kind, number] = /^#(entry|call|line)-(\d+)$/.exec(location.hash) ?? [];
    if (!kind) return;
    for (const old of this.page.querySelectorAll('.pointed')) old.classList.remove('pointed');
    const found = document.getElementById(location.hash.slice(1));
    if (!found) {
      const wanted = WHERE[kind](number);
      if (`${location.search}${location.hash}` !== wanted) this.#visit(wanted, true);
      return;
    }
    found.classList.add('pointed');
    const details = found.querySelector('details.entry-line');
    if (details) details.open = true;
    if (found.matches('.call') && found.querySelector('.call-body').hidden) open(found);
    found.scrollIntoView({ block: found.offsetHeight > innerHeight / 2 ? 'start' : 'center' });
    found.querySelector('a')?.focus({ preventScroll: true });
  }
}
