// The ctx object, what is taken from the script, and the functions that the host keeps.
const NO_RANDOM = "Math.random is not available in workflows; take randomness as input";
const NO_DATE = "Date is not available in workflows; use await ctx.now()";
const NO_CODE = "code from text is not available in workflows";

function thrower(message, name) {
  const stub = function () { throw new Error(message); };
  defineProperty(stub, "name", { value: name });
  return stub;
}

function removeFromScript() {
  const DateStub = thrower(NO_DATE, "Date");
  for (const name of ["now", "parse", "UTC"]) fix(DateStub, name, thrower(NO_DATE, name));
  fix(globalThis_, "Date", freeze(DateStub));
  fix(Math, "random", freeze(thrower(NO_RANDOM, "random")));
  for (const kind of [thrower, async function () {}, function* () {}, async function* () {}]) {
    fix(getPrototypeOf(kind), "constructor", freeze(thrower(NO_CODE, "Function")));
  }
  delete JSON.rawJSON;
  delete JSON.isRawJSON;
  for (const name of [
    "performance", "WeakRef", "FinalizationRegistry", "Atomics", "SharedArrayBuffer", "eval", "Function", "globalThis",
    "print", "gc", "navigator", "scriptArgs", "std", "os", "bjson",
  ]) delete globalThis_[name];
}

lazyGlobal("console", "log");
lazyGlobal("TextEncoder", "text");
lazyGlobal("TextDecoder", "text");
lazyGlobal("structuredClone", "clone");
lazyGlobal("ActionError", "failure");

let main = null;
let taken = false; // the script's module has been evaluated to its end
let input = null;
let ctx = null;

// The functions keep the name and length that a script sees; those of lazy parts pass on what they are given.
function parallel(thunks) {
  return part("fan").parallel(thunks);
}
function parallelSettled(thunks) {
  return part("fan").parallelSettled(thunks);
}
function step(label, fn) {
  return part("plan").step(label, fn);
}
function plan(wanted) {
  return part("plan").plan(wanted);
}
function log(level, message, data) {
  return part("log").log(arguments.length, level, message, data);
}
function progress(patch) {
  return part("progress").progress(patch);
}

function delegate(spec) {
  return part("coordination").delegate(spec);
}
function waitForEvent(match, options) {
  return part("coordination").waitForEvent(match, options);
}
function continueAsNew(state) {
  return part("coordination").continueAsNew(state);
}

// Promise.race and its kin give back what they have consumed; a class of the script's own keeps the engine's.
for (const name of ["race", "any", "all", "allSettled"]) {
  const original = P[name];
  const { [name]: value } = { [name](items) {
    return this === P ? part("race")[name](items) : apply(original, this, [items]);
  } };
  defineProperty(P, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

function makeCtx(runId) {
  return freeze({
    __proto__: null, input, runId, call, delegate, agent: delegate, parallel, parallelSettled, step, plan, sleep, waitForEvent, continueAsNew, now, log, progress,
    seconds: durations("seconds", 1000), minutes: durations("minutes", 60000),
    hours: durations("hours", 3600000), days: durations("days", 86400000),
  });
}

function settle(ok, text) {
  if (world.settled) return; // handed on to a successor
  world.settled = true;
  emit('["settled",' + ok + "," + text + "," + world.lastLine + "]");
}
// `tell` words the failure with a lazy part. This runs on an empty stack, so that nothing but memory can be short.
function fail(tell) {
  let text;
  try {
    text = tell(part("telling"));
  } catch {
    text = '{"name":"InternalError","message":"out of memory","stack":""}';
  }
  settle("false", text);
}
function failWith(error) {
  fail((telling) => telling.describe(error));
}

// The engine keeps a long concatenation as a rope, which the binding cannot hand to Python; a slice is a plain string.
function flat(text) {
  return apply(stringSlice, text, [0]);
}

// Everything the realm starts from: JSON of {runId, input, now, resultMaxBytes, callSeq, scripts, groups,
// completions, lenient}.
function load(text) {
  const table = parse(text);
  world.resultMaxBytes = table.resultMaxBytes;
  world.clock = table.now;
  world.callSeq = table.callSeq;
  world.lenient = table.lenient;
  if (table.lenient) part("lenient");
  input = table.input;
  ctx = makeCtx(table.runId);
  if (table.groups.length + table.completions.length === 0) return; // a fresh run
  part("table").loadScripts(table.scripts);
  part("table").loadGroups(table.groups);
  part("table").loadCompletions(table.completions);
}
// A loader module may hand over the default export while `take` is armed.
function arm(on) {
  if (on) defineProperty(globalThis_, "__take", {
    __proto__: null, value: (value) => { taken = true; main = value; }, configurable: true,
  });
  else delete globalThis_.__take;
}
function watch(promise) {
  apply(promiseThen, promise, [() => {}, failWith]);
}
function start() {
  if (world.settled) return;
  if (!taken) return fail((telling) => telling.neverFinished());
  if (typeof main !== "function") return fail((telling) => telling.noFunction());
  follow(
    () => main(input, ctx),
    (value) => {
      try { settle("true", encode(value, "the result")); } catch (error) { failWith(error); }
    },
    failWith,
  );
}
function answer(seq, ok, text, now) {
  world.clock = now;
  deliver(seq, ok, parse(text));
}
// All messages since the last drain as the items of a JSON array, each followed by a comma; "" when there are none.
function drain() {
  warnings();
  if (made.plan) made.plan.tell();
  const text = flat(world.out);
  world.out = "";
  return text;
}
// Where the replay and the journal part: JSON of {asked, line, recorded} or "" when all is well.
function divergence() {
  return world.diverged !== null || (world.settled && world.recorded > 0 && !world.lenient) ? flat(part("table").parting()) : "";
}
// The callSeqs of open waits that somebody still awaits, as JSON.
function live() {
  return made.coordination ? flat(made.coordination.live()) : "[]";
}
// Where a lenient replay has come to, as JSON.
function leftovers() {
  return flat(part("lenient").leftovers());
}
function line() {
  return world.lastLine;
}

removeFromScript();

// Gives the host its functions by name, once it has handed over the lazy parts: name, text, name, text ...
const host = { __proto__: null, load, arm, watch, start, settle: answer, next, drain, divergence, line, live, leftovers };
return function () {
  for (let i = 0; i < arguments.length; i += 2) sources[arguments[i]] = arguments[i + 1];
  return (name) => host[name];
};
