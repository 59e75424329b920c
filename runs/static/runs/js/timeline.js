// The timeline: tells of the bar that is pointed at or has the focus, moves by arrow keys, zooms in place.

export function timeline(root) {
  const line = root.querySelector('#timeline');
  if (!line) return;
  const told = root.querySelector('#lane-told');
  const tell = (event) => {
    const lane = event.target.closest('.lane[data-op]');
    if (!lane) return;
    const name = document.createElement('strong');
    name.textContent = lane.querySelector('.lane-name').textContent.trim();
    told.replaceChildren(name, ' ', ...[...lane.querySelector('.lane-words').childNodes].map((node) => node.cloneNode(true)));
  };
  line.addEventListener('pointerover', tell);
  line.addEventListener('focusin', tell);
  line.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const lane = event.target.closest('.lane[data-op]');
    if (!step || !lane) return;
    const lanes = [...line.querySelectorAll('.lane[data-op]')];
    lanes[lanes.indexOf(lane) + step]?.querySelector('.lane-name').focus();
    event.preventDefault();
  });
  root.querySelector('.zooms').addEventListener('click', (event) => {
    const chip = event.target.closest('[data-zoom]');
    if (!chip || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const middle = (line.scrollLeft + line.clientWidth / 2) / line.scrollWidth;
    line.dataset.zoom = chip.dataset.zoom;
    line.scrollLeft = middle * line.scrollWidth - line.clientWidth / 2;
    for (const other of root.querySelectorAll('[data-zoom].chip')) other.removeAttribute('aria-current');
    chip.setAttribute('aria-current', 'true');
    history.replaceState(null, '', chip.href);
  });
}
