// Says every <time data-moment> in the reader's own zone; UTC, as the server said it, stays readable on hover.

const two = (number) => String(number).padStart(2, '0');

/** "14:05:10" today, "2026-11-30 14:05" on any other day: the server's forms, in local time. */
export function words(at, now = new Date()) {
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === now.toDateString()) return `${clock}:${two(at.getSeconds())}`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
}

/** Localises what is below `root`; call it after a part was put into the page. */
export function localise(root = document) {
  for (const element of root.querySelectorAll('time[data-moment]')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.title ||= `${element.dateTime.replace('T', ' ').replace(/\.\d+/, '').replace('Z', '')} UTC`;
    const said = words(at);
    if (element.textContent !== said) element.textContent = said;
  }
}

localise();
