// Keeps the list fresh while somebody looks: rows change where they stand, none moves, and new runs are announced.

import { localise } from './times.js';

const EVERY = 5000;
const rows = document.querySelector('tbody[data-rows]');
const asOf = document.querySelector('[data-as-of]');
const announced = document.querySelector('[data-newer]');
const newest = document.querySelector('[data-newest]')?.dataset.newest ?? '';
let timer = 0;
let asking = false;

class SignedOut extends Error {}

function address() {
  const query = new URLSearchParams(location.search);
  query.set('newest', newest);
  query.set('ids', [...(rows?.querySelectorAll('tr[data-run]') ?? [])].map((row) => row.dataset.run).join(','));
  return `${location.pathname}?${query}`;
}

async function fetched() {
  const answer = await fetch(address(), { headers: { Accept: 'text/html' } });
  if (answer.redirected) throw new SignedOut('you are signed out: load the page again');
  if (!answer.ok) throw new Error(answer.status === 503 ? 'the database does not answer' : `the server answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fragment = page.querySelector('[data-fragment]');
  if (!fragment) throw new Error('the server answered something else');
  localise(fragment);
  return fragment;
}

/** Puts the cells of a fresh row in place of those that differ; what has the focus and has not changed keeps it. */
function renew(row, fresh) {
  [...fresh.cells].forEach((cell, i) => {
    if (!row.cells[i].isEqualNode(cell)) row.cells[i].replaceWith(document.importNode(cell, true));
  });
}

function show(fragment) {
  for (const fresh of fragment.querySelectorAll('tr[data-run]')) {
    const row = rows.querySelector(`tr[data-run="${CSS.escape(fresh.dataset.run)}"]`);
    if (row && row.cells.length === fresh.cells.length) renew(row, fresh);
  }
  const chips = document.querySelectorAll('[data-chips] .chip .count');
  fragment.querySelectorAll('.chip .count').forEach((count, i) => {
    if (chips[i] && chips[i].textContent !== count.textContent) chips[i].textContent = count.textContent;
  });
  asOf.replaceChildren(...document.importNode(fragment.querySelector('[data-as-of]'), true).childNodes);
  asOf.classList.remove('stale');
  announce(Number(fragment.dataset.newer ?? 0));
}

function announce(count) {
  if (!count || announced.dataset.count === String(count)) return;
  announced.dataset.count = String(count);
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = 'show';
  const many = count > 50 ? 'more than 50' : String(count);
  announced.replaceChildren(`${many} new run${count === 1 ? '' : 's'} – `, link);
}

function stale(error) {
  const since = asOf.querySelector('time');
  const reason = error instanceof TypeError ? 'the server does not answer' : error.message;
  asOf.replaceChildren('As of ', ...(since ? [since] : []), `; ${reason}.${error instanceof SignedOut ? '' : ' Trying again.'}`);
  asOf.classList.add('stale');
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden || asking) return;
  asking = true;
  try {
    show(await fetched());
  } catch (error) {
    stale(error);
  } finally {
    asking = false;
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(refresh, EVERY);
  }
}

document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : refresh()));
timer = setTimeout(refresh, EVERY);
