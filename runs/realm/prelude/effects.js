// Effects: what the script asked for, matched against the journal by content key, answered in the journal's order.

// A promise of ctx knows whether anybody consumes it: `then` is called by await, race, all and by hand. Await reads it at
// once and calls it later, so what is read knows in which step that was.
class Pending extends P {
  #state = null;
  static get [Symbol.species]() { return P; }
  static of(state) {
    const promise = new Pending((resolve, reject) => { state.resolve = resolve; state.reject = reject; });
    promise.#state = state;
    return promise;
  }
  static consume(value) {
    if (typeof value !== "object" || value === null || !(#state in value) || value.#state === null) return;
    value.#state.consumers++;
    value.#state.awaiting++;
  }
  static release(value) {
    if (typeof value !== "object" || value === null || !(#state in value) || value.#state === null) return;
    const state = value.#state;
    if (--state.awaiting === 0 && state.sources !== null) part("race").giveBack(state);
  }
  get then() {
    return world.stepped ? made.plan.followed(pendingThen) : pendingThen;
  }
  static then(onFulfilled, onRejected) {
    const state = this.#state;
    const next = apply(promiseThen, this, [onFulfilled, onRejected]);
    if (state === null) return next;
    state.consumers++;
    state.awaiting++;
    return state.tracked ? part("race").derived(this, next) : next;
  }
}
const { of: pendingOf, consume, release, then: pendingThen } = Pending;
for (const name of ["of", "consume", "release", "then"]) delete Pending[name];
freeze(Pending.prototype);
freeze(Pending);

// The promise of one ctx call; `settle` by state.resolve and state.reject.
function pending(what, line) {
  const state = {
    __proto__: null, what, line, resolve: null, reject: null, promise: null, callSeq: 0,
    consumers: 0, // ever
    awaiting: 0, // now: less those that have given it back
    tracked: false, // it is a wait, or made of one: what is derived from it is tracked as well
    sources: null, // the promises to give back when nobody awaits this one any more
    step: world.step, // where it was made
  };
  state.promise = pendingOf(state);
  return state;
}
function resolved(value) {
  const state = pending("", 0);
  state.resolve(value);
  return state.promise;
}
function rejected(error, what, line) {
  const state = pending(what, line);
  state.reject(error);
  append(unwatched, state);
  return state.promise;
}

// Calls fn, follows what it returns or throws, and returns that. A promise is followed directly, so that a patched `then` is
// never asked.
function follow(fn, onValue, onError) {
  let value;
  if (world.stepped) made.plan.queueEntering(world.step);
  try {
    value = fn();
  } catch (error) {
    value = new P((resolve, reject) => reject(error));
  }
  consume(value);
  try {
    apply(promiseThen, value, [onValue, onError]);
  } catch { // not a promise
    apply(promiseThen, new P((resolve) => resolve(value)), [onValue, onError]);
  }
  return value;
}

const world = {
  __proto__: null,
  callSeq: 0, // the last one given out
  clock: 0, // ms since the epoch, as of the start of this slice
  lastLine: 0, // of the newest effect: where a deadlocked script was last seen
  out: "", // messages to the host, JSON texts each followed by a comma
  diverged: null, // {asked, line}: set once, and from then on nothing is issued
  recorded: 0, // groups that the script has not asked for yet
  completions: list(), // of recorded groups, in the order of the journal
  delivered: 0,
  settled: false,
  step: null, // whose code is running, as far as can be told; null is none: see lazy/plan.js
  stepped: false, // there has been a step
  lenient: false, // after an operator's retry, rewind or edit: see lazy/lenient.js
  resultMaxBytes: 262144,
};
const groups = ownMap(); // key -> list of recorded groups, oldest first
const open = ownMap(); // callSeq -> state of a call that is out
const unwatched = list(); // rejected promises, to be looked at when the realm is quiet

function emit(text) {
  world.out += text + ",";
}

// The engine keeps a long concatenation as a rope, and two ropes of the same text may be two keys of a Map; a slice is a
// plain string.
function flatKey(key) {
  return key.length > 100 ? apply(stringSlice, key, [0]) : key;
}

// The recorded group of `key`, or null for an effect that the journal does not know. Such an effect may only follow
// everything that is recorded; else this replay is not the run that wrote the journal.
function match(key) {
  const of = groups.get(flatKey(key));
  if (of !== undefined && of.first < of.n) {
    world.recorded--;
    return of[of.first++];
  }
  if (world.lenient) part("lenient").missed();
  else if (world.diverged === null && outstanding()) {
    world.diverged = { __proto__: null, asked: key, line: callerLine() };
  }
  return null;
}
function outstanding() {
  return world.recorded > 0 || world.delivered < world.completions.n;
}

// What a script that has diverged gets: the run is about to end.
function never() {
  return pending("", 0).promise;
}

// Sends an effect that the host completes; `fields` is JSON text of what follows the callSeq in the message.
function issue(op, key, fields, what) {
  if (world.diverged) return never();
  const group = match(key);
  if (world.diverged) return never();
  const state = pending(what, group ? group.line : callerLine());
  state.callSeq = group ? group.callSeq : ++world.callSeq;
  state.tracked = op === "wait";
  world.lastLine = state.line;
  open.set(state.callSeq, state);
  if (group === null || !group.done) {
    emit('["' + op + '",' + state.callSeq + "," + (group ? "true" : "false") + "," + state.line + "," + fields + "]");
  }
  return state.promise;
}

// Completes inside the realm and travels with the next round: returns the recorded group, or null when it is new.
function record(key, fields) {
  if (world.diverged) return null;
  const group = match(key);
  if (group === null && !world.diverged) emit("[" + fields(++world.callSeq) + "]");
  return group;
}

// Answers the call `seq`: `value` is the result, or the facts of the failure.
function deliver(seq, ok, value) {
  const state = open.get(seq);
  if (state === undefined) return false;
  open.delete(seq);
  world.step = state.step;
  if (ok) {
    state.resolve(value);
  } else {
    state.reject(part("failure").ofCall(seq, value, state.line));
    append(unwatched, state);
  }
  return true;
}

// 1: delivered the next recorded completion; 0: none is left; -1: it answers a call that the script never made.
function next() {
  warnings();
  if (world.lenient) return part("lenient").next(deliver);
  if (world.diverged) return -1;
  if (world.settled || world.delivered >= world.completions.n) return 0;
  const it = world.completions[world.delivered];
  if (!deliver(it.callSeq, it.ok, it.value)) {
    world.diverged = { __proto__: null, asked: "", line: world.lastLine };
    return -1;
  }
  world.completions[world.delivered++] = undefined; // its value is the script's now
  return 1;
}

// Rejections that nobody handles, told each time the realm is quiet. A replay tells them again, in the same order; the
// host knows how many are in the journal.
function warnings() {
  for (let i = 0; i < unwatched.n; i++) {
    const state = unwatched[i];
    if (state.consumers++ === 0) emit('["unhandled",' + state.callSeq + "," + stringify(state.what) + "," + state.line + "]");
    unwatched[i] = undefined;
  }
  unwatched.n = 0;
}
