// The page of a run, kept alive: what comes over the socket goes to the rows, to parts that are fetched again, and to words.

import { Activity } from './activity.js';
import * as calls from './calls.js';
import './copy.js';
import './countdown.js';
import { Feed } from './live/socket.js';
import { LiveState } from './live/state.js';
import { Parts } from './parts.js';
import { Tabs } from './tabs.js';
import { timeline } from './timeline.js';

const KEPT = 500; // entries in memory, for a view that is opened later
const page = document.getElementById('run');
const id = page.dataset.run;
const key = `runs/${page.dataset.root}`;
const aloud = document.getElementById('live-words');
const state = new LiveState(document.getElementById('live-state'));
const known = new Map(); // run id -> its newest facts
let recent = [];
let last = Number(page.dataset.next) - 1;
let activity = null;

const parts = new Parts({ base: page.dataset.parts, onLost: (why) => state.show(why, Date.now()) });
const tabs = new Tabs({ page, parts, shown, leaving });
parts.define('overview', { element: () => page.querySelector('[data-part=overview]'), every: 300 });
parts.define('aside', { element: () => page.querySelector('[data-part=aside]'), every: 1500 });
parts.define('tab', {
  element: () => tabs.panel,
  part: () => tabs.name,
  query: () => tabs.query,
  every: 1500,
  before: calls.opened,
  after: (element, opened) => {
    shown(tabs.name);
    calls.reopen(element, opened);
  },
});

function shown(name) {
  if (name === 'activity') {
    activity?.close();
    activity = new Activity(document.getElementById('activity'));
    activity.append(recent);
  }
  if (name === 'timeline') timeline(tabs.panel);
}

function leaving() {
  activity?.close();
  activity = null;
}

function touchTab() {
  if (tabs.name !== 'activity') parts.touch('tab');
}

function changed(run) {
  const before = known.get(run.id);
  known.set(run.id, run);
  if (run.id === id) {
    const same = before
      ? JSON.stringify({ ...before, nextSeq: 0 }) === JSON.stringify({ ...run, nextSeq: 0 })
      : run.status === page.dataset.status && String(run.attempt) === page.dataset.attempt && run.nextSeq === Number(page.dataset.next);
    if (same) return;
    parts.touch('overview');
    parts.touch('aside');
    touchTab();
    if (run.words !== before?.words) say(run);
    if (before && before.attempt !== run.attempt && tabs.name === 'activity') parts.touch('tab'); // rows were left behind
    return;
  }
  const news = before ? before.status !== run.status || before.errorCode !== run.errorCode : Date.parse(run.createdAt) > Number(page.dataset.at);
  const moved = !before && Date.parse(run.finishedAt ?? run.startedAt ?? 0) > Number(page.dataset.at);
  if (!news && !moved) return;
  parts.touch('aside');
  if (run.parentId === id && tabs.name === 'timeline') touchTab();
}

/** The status, for who listens; its moments are in the reader's own zone on the page. */
function say(run) {
  aloud.textContent = `${run.title || 'The run'}: ${run.words.replace(/ (until|at|since) [\d: -]+ UTC.*/, '')}`;
  document.title = document.title.replace(/^\S+/, run.mark);
}

function appended(frame) {
  if (frame.runId !== id) return;
  const entries = frame.entries.filter((entry) => entry.seq > last);
  if (!entries.length) return;
  last = entries.at(-1).seq;
  recent = [...recent, ...entries].slice(-KEPT);
  activity?.append(entries);
  touchTab();
}

function progressed(frame) {
  if (frame.runId !== id) return;
  const bar = page.querySelector('p.progress progress');
  const { fraction, label } = frame.progress ?? {};
  if (!bar || fraction == null) {
    parts.touch('overview');
    return;
  }
  const percent = `${Math.round(fraction * 100)}`;
  bar.value = percent;
  bar.nextElementSibling.textContent = `${percent}%`;
  page.querySelector('p.progress bdi').textContent = label ?? '';
}

function refused(frame) {
  if (frame.code === 'ahead-of-journal') location.reload(); // the database is another one
  if (frame.code === 'permission-lost') state.show('forbidden', Date.now());
  if (frame.code === 'unknown-run') over('gone');
}

/** Nothing more will come, and there is nothing to ask for. */
function over(why) {
  parts.end();
  feed.end();
  state.show(why, Date.now());
}

const takers = {
  change: (frame) => changed(frame.run),
  append: appended,
  appendPartial: progressed,
  deleted: () => over('deleted'),
  error: refused,
};

page.addEventListener('click', calls.toggle);
shown(tabs.name);
tabs.point();
const feed = new Feed({
  subscription: () => ({ _: 'Subscribe', key, afterSeq: { [id]: last }, journals: [id], last: KEPT }),
  onFrame: (frame) => takers[frame._]?.(frame),
  onState: (now, since) => state.show(now, since),
});
