// The plan and its steps. The realm keeps the checklist; the host is told each change of it as a whole.
//
// A child carries the step in whose code it was asked for. The engine does not say whose code runs after an await, so:
// - the function of a step, or of ctx.parallel, begins in its step, and what called goes on where it was;
// - what awaits a promise of ctx (or calls its `then`) goes on in the step in which it did so. A job queued right before
//   the one that goes on says so, and the engine runs jobs in the order in which they were queued;
// - what goes on after a promise of the script's own is in the step whose code was entered last;
// - where that step has ended, it is the innermost one around it that has not.
// None of it depends on time, so a replay comes to the same. Only the third can be mistaken: with steps side by side, in
// code that awaits a function of its own which was answered within the same slice.
(kit) => {
  "use strict";
  const {
    append, apply, callerLine, cut, emit, follow, invalid, isArray, list, never, outstanding, ownMap, part, pending, promiseThen,
    readable, record, rejected, resolved, stringify, unwatched, world,
  } = kit;
  const STEP_STATES = { __proto__: null, pending: 1, running: 1, done: 1, failed: 1, skipped: 1 };
  let planTitle = null;
  let planSteps = list(); // {id, label, status, active}
  let planChanged = false;
  const done = resolved(undefined); // ours alone: nothing of the script's is asked when a job is queued with it

  function planText(title, lines) {
    let steps = "";
    for (let i = 0; i < lines.n; i++) {
      const { id, label, status } = lines[i];
      steps += (i ? "," : "") + '{"id":' + stringify(id) + ',"label":' + stringify(label) + ',"status":"' + status + '"}';
    }
    return '{"title":' + (title === null ? "null" : stringify(title)) + ',"steps":[' + steps + "]}";
  }

  // ctx.plan({title?, steps}), a step a string or {id?, label, status?}
  function plan(wanted) {
    try {
      if (isArray(wanted)) wanted = { steps: wanted };
      if (typeof wanted !== "object" || wanted === null || !isArray(wanted.steps)) {
        throw invalid("ctx.plan takes {title?, steps: [...]}, a step a string or {id?, label, status?}");
      }
      const steps = list();
      const ids = ownMap();
      for (let i = 0; i < wanted.steps.length; i++) append(steps, planStep(wanted.steps[i], i, ids));
      const named = wanted.title;
      const title = named === undefined || named === null ? null : cut(readable(named), 200);
      const text = planText(title, steps);
      if (text.length > world.resultMaxBytes) throw invalid("the plan is " + text.length + " characters of JSON; the limit is " + world.resultMaxBytes);
      record("plan|" + text, (seq) => '"plan",' + seq + "," + text);
      if (world.diverged) return never();
      planTitle = title;
      planSteps = steps;
      planChanged = true;
    } catch (error) {
      return rejected(error, "ctx.plan", callerLine());
    }
    return resolved(undefined);
  }

  function planStep(given, index, ids) {
    const step = typeof given === "string" ? { label: given } : given;
    if (typeof step !== "object" || step === null || typeof step.label !== "string") {
      throw invalid("step " + (index + 1) + " of the plan needs a label: a string or {id?, label, status?}");
    }
    const status = step.status === undefined ? "pending" : step.status;
    if (typeof status !== "string" || STEP_STATES[status] === undefined) {
      throw invalid("step " + (index + 1) + " of the plan has status " + readable(status) + "; there are pending, running, done, failed, skipped");
    }
    const id = step.id === undefined ? "s" + (index + 1) : readable(step.id);
    if (ids.has(id)) throw invalid("two steps of the plan have the id " + id);
    ids.set(id, true);
    return { __proto__: null, id, label: cut(step.label, 200), status, active: 0 };
  }

  // The line of the plan that ctx.step(label) ticks: the first of that label still pending, else any of that label, else a new one.
  function stepOf(label) {
    let found = null;
    for (let i = 0; i < planSteps.n; i++) {
      const step = planSteps[i];
      if (step.label === label && (step.status === "pending" || found === null)) {
        found = step;
        if (step.status === "pending") break;
      }
    }
    if (found === null) {
      let number = planSteps.n + 1;
      while (hasStep("s" + number)) number++;
      found = { __proto__: null, id: "s" + number, label, status: "pending", active: 0 };
      append(planSteps, found);
    }
    return found;
  }
  function hasStep(id) {
    for (let i = 0; i < planSteps.n; i++) if (planSteps[i].id === id) return true;
    return false;
  }

  // ctx.step(label, fn) returns fn's value; a throw marks the step as failed and is thrown on.
  function step(label, fn) {
    if (typeof label !== "string" || label === "" || typeof fn !== "function") {
      return rejected(invalid("ctx.step takes a label and a function: ctx.step('Fetch', async () => { ... })"), "ctx.step", callerLine());
    }
    const state = pending("ctx.step", 0);
    const text = cut(label, 200);
    const line = stepOf(text);
    const fields = stringify(line.id) + "," + stringify(text);
    let seq = 0;
    const group = record("step|" + text, (given) => '"step",' + (seq = given) + "," + fields + ',"start",true,null');
    if (world.diverged) return state.promise;
    if (group) seq = group.callSeq;
    line.active++;
    line.status = "running";
    planChanged = true;
    const before = world.step;
    const at = { __proto__: null, id: line.id, label: text, ended: false, around: innermost() };
    const end = (ok, error) => {
      at.ended = true;
      line.active--;
      if (!ok) line.status = "failed";
      else if (line.active === 0 && line.status === "running") line.status = "done";
      planChanged = true;
      const known = group !== null && group.done;
      if (world.diverged || (known && !world.lenient)) return; // a lenient replay tells each end, to be compared
      if (world.lenient) {
        if (!known) part("lenient").missed();
      } else if (outstanding()) world.diverged = { __proto__: null, asked: "step|" + text, line: 0 };
      if (!world.diverged) emit('["step",' + seq + "," + fields + ',"end",' + (ok ? "true,null" : "false," + stringify(cut(readable(error), 500))) + "]");
    };
    world.stepped = true;
    world.step = at;
    follow(
      fn,
      (value) => { end(true); state.resolve(value); },
      (error) => { end(false, error); state.reject(error); append(unwatched, state); },
    );
    world.step = before;
    return state.promise;
  }

  // The step whose code is running and that has not ended, or null.
  function innermost() {
    let at = world.step;
    while (at !== null && at.ended) at = at.around;
    return at;
  }
  // Its {id, label} as JSON.
  function here() {
    const at = innermost();
    return at === null ? "null" : '{"id":' + stringify(cut(at.id, 200)) + ',"label":' + stringify(at.label) + "}";
  }
  function queueEntering(at) {
    apply(promiseThen, done, [() => { world.step = at; }]);
  }
  // `then` as it is read now: its callbacks, and what they wake, are in the step that reads it.
  function followed(then) {
    const at = world.step;
    return function (onFulfilled, onRejected) {
      return apply(then, this, [entering(at, onFulfilled), entering(at, onRejected)]);
    };
  }
  function entering(at, callback) {
    if (typeof callback !== "function") return callback;
    return (value) => {
      world.step = at;
      queueEntering(at);
      return callback(value);
    };
  }

  // The message of the plan as it stands, when it has changed since the last one.
  function tell() {
    if (!planChanged) return;
    planChanged = false;
    emit('["planned",' + planText(planTitle, planSteps) + "]");
  }

  return { __proto__: null, followed, queueEntering, here, plan, step, tell };
}
