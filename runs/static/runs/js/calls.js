// The list of calls: a row opens in place.

import { localise } from './times.js';

/** Opens a row; it says so where the server does not answer. */
export async function open(row) {
  const head = row.querySelector('.call-head');
  const body = row.querySelector('.call-body');
  head.setAttribute('aria-expanded', 'true');
  body.hidden = false;
  if (!body.childElementCount) body.textContent = 'Loading…';
  const answer = await fetch(head.dataset.open, { headers: { accept: 'text/html' } }).catch(() => null);
  if (head.getAttribute('aria-expanded') !== 'true') return;
  if (!answer?.ok || answer.redirected) {
    if (!body.childElementCount) body.textContent = 'The server does not answer. Close this and open it again.';
    return;
  }
  body.innerHTML = await answer.text();
  localise(body);
}

function close(row) {
  row.querySelector('.call-head').setAttribute('aria-expanded', 'false');
  row.querySelector('.call-body').hidden = true;
}

export function toggle(event) {
  const head = event.target.closest('.call-head');
  if (!head || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const row = head.closest('.call');
  if (head.getAttribute('aria-expanded') === 'true') close(row);
  else open(row);
}

/** Which rows are open, with what they show: to open them again after the list was rendered anew. */
export function opened(root) {
  return [...root.querySelectorAll('.call-head[aria-expanded="true"]')].map((head) => {
    const row = head.closest('.call');
    return [row.id, [...row.querySelector('.call-body').childNodes]];
  });
}

export function reopen(root, rows) {
  for (const [id, nodes] of rows) {
    const row = root.querySelector(`#${CSS.escape(id)}`);
    if (!row) continue;
    row.querySelector('.call-body').replaceChildren(...nodes);
    open(row);
  }
}
