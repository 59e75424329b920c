// Keeps every [data-until] true: "in 4 min 10 s", "5 s ago".

/** A length of time in its two largest units, as the server says it. */
export function span(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} days ${hours % 24} h` : `${days} days`;
}

export function refresh(root = document) {
  for (const element of root.querySelectorAll('[data-until]')) {
    const left = (Date.parse(element.dataset.until) - Date.now()) / 1000;
    const said = left >= 0 ? `in ${span(left)}` : `${span(-left)} ago`;
    if (element.textContent !== said) element.textContent = said;
  }
}

setInterval(() => document.hidden || refresh(), 1000);
document.addEventListener('visibilitychange', () => document.hidden || refresh());
