// Keeps the admin's list of runs true while somebody looks: rows change where they stand, none moves, none is unselected.

import { localise } from './times.js';

const EVERY = 5000;
let timer = 0;

function rowsOf(page) {
  const boxes = page.querySelectorAll('#result_list tbody input.action-select');
  return new Map([...boxes].map((box) => [box.value, box.closest('tr')]));
}

async function fetched() {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
  if (!answer.ok || answer.redirected) throw new Error(`the server answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  localise(page);
  return page;
}

function show(page) {
  const fresh = rowsOf(page);
  for (const [id, row] of rowsOf(document)) {
    const cells = fresh.get(id)?.cells ?? [];
    [...cells].slice(1).forEach((cell, i) => {
      const old = row.cells[i + 1];
      if (!old.isEqualNode(cell) && !old.contains(document.activeElement)) old.replaceWith(document.importNode(cell, true));
    });
  }
  const counts = page.querySelectorAll('[data-chips] .chip .count');
  document.querySelectorAll('[data-chips] .chip .count').forEach((count, i) => {
    if (counts[i]) count.textContent = counts[i].textContent;
  });
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    show(await fetched());
  } catch {
    // The next look may be answered.
  }
  clearTimeout(timer);
  timer = setTimeout(refresh, EVERY);
}

// A search looks at runs one by one, and is not repeated for nobody.
if (!new URLSearchParams(location.search).get('q')) {
  document.addEventListener('visibilitychange', refresh);
  timer = setTimeout(refresh, EVERY);
}
