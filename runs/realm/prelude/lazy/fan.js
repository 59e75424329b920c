// Running things side by side.
(kit) => {
  "use strict";
  const { append, callerLine, defineProperty, follow, invalid, isArray, list, part, pending, rejected, unwatched } = kit;

  // ctx.parallel(thunks) resolves with all values, or rejects with the first failure; the others go on.
  function parallel(thunks) {
    return fanOut(thunks, "ctx.parallel", (state, results, left) => (i, thunk) => follow(
      thunk,
      (value) => { results[i] = value; if (--left.n === 0) state.resolve(results); },
      (error) => { part("race").giveBack(state); state.reject(error); append(unwatched, state); },
    ));
  }

  // ctx.parallelSettled(thunks) resolves with {status: 'fulfilled', value} or {status: 'rejected', reason} for each.
  function parallelSettled(thunks) {
    return fanOut(thunks, "ctx.parallelSettled", (state, results, left) => {
      const put = (i, outcome) => { results[i] = outcome; if (--left.n === 0) state.resolve(results); };
      return (i, thunk) => follow(
        thunk,
        (value) => put(i, { status: "fulfilled", value }),
        (reason) => put(i, { status: "rejected", reason }),
      );
    });
  }

  function fanOut(thunks, what, collector) {
    try {
      if (!isArray(thunks)) throw invalid(what + " takes an array of functions");
      for (let i = 0; i < thunks.length; i++) {
        if (typeof thunks[i] !== "function") {
          throw invalid(what + " takes functions, item " + i + " is " + (typeof thunks[i] === "object" ? "an object" : typeof thunks[i]) +
            ": write " + what + "([() => ctx.call(...)])");
        }
      }
    } catch (error) {
      return rejected(error, what, callerLine());
    }
    const state = pending(what, 0);
    state.tracked = true;
    const followed = state.sources = list();
    const results = [];
    const left = { __proto__: null, n: thunks.length };
    for (let i = 0; i < left.n; i++) defineProperty(results, i, {
      __proto__: null, value: undefined, writable: true, enumerable: true, configurable: true,
    });
    if (left.n === 0) state.resolve(results);
    const collect = collector(state, results, left);
    const items = list(); // the thunks may change the array that they came in
    for (let i = 0; i < left.n; i++) append(items, thunks[i]);
    for (let i = 0; i < items.n; i++) append(followed, collect(i, items[i]));
    return state.promise;
  }

  return { __proto__: null, parallel, parallelSettled };
}
