// Says on the page whether it is live; what is old says since when.

import { words } from '../times.js';

const PATIENCE_MS = 1500; // a connection that comes back at once is not worth a word

export class LiveState {
  #timer = 0;

  constructor(element) {
    this.element = element;
  }

  show(state, since) {
    if (state === 'reconnecting' && state === document.documentElement.dataset.live) return; // it has been said, or will be
    clearTimeout(this.#timer);
    document.documentElement.dataset.live = state;
    if (state === 'live') {
      this.element.hidden = true;
      return;
    }
    this.#timer = setTimeout(() => this.#say(state, words(new Date(since))), state === 'reconnecting' ? PATIENCE_MS : 0);
  }

  #say(state, at) {
    const { element } = this;
    const said = {
      'reconnecting': `As of ${at}, reconnecting. Nothing is lost: what has happened meanwhile will appear.`,
      'signed-out': `As of ${at}. You are signed out. `,
      'forbidden': `As of ${at}. You may no longer see this run.`,
      'deleted': `As of ${at}. This run was deleted.`,
      'gone': `As of ${at}. This run was deleted, or you may no longer see it.`,
      'refused': `As of ${at}. This page is older than the server. `,
    }[state];
    element.textContent = said;
    if (state === 'signed-out' || state === 'refused') {
      const link = document.createElement('a');
      link.href = location.href;
      link.textContent = state === 'signed-out' ? 'Sign in and load the page again' : 'Load it again';
      element.append(link);
    }
    element.hidden = false;
  }
}
