// Who still awaits a wait. Promise.race and its kin, and ctx.parallel, give back what they have consumed when they have
// settled, or when nobody awaits them any more: a wait that has lost, and that nobody will look at again, takes no signal.
(kit) => {
  "use strict";
  const { allOf, allSettledOf, anyOf, append, apply, list, pending, PromiseOf, promiseThen, raceOf, release } = kit;

  function giveBack(state) {
    const { sources } = state;
    state.sources = null;
    if (sources !== null) for (let i = 0; i < sources.n; i++) release(sources[i]);
  }
  function tracked(sources) {
    const state = pending("", 0);
    state.tracked = true;
    state.sources = sources;
    return state;
  }

  // What `then` of a tracked promise returns. Given back by its last consumer, it gives back `from`; one that never had a
  // consumer is a listener, and keeps it.
  function derived(from, next) {
    const sources = list();
    append(sources, from);
    const state = tracked(sources);
    apply(promiseThen, next, [state.resolve, state.reject]);
    return state.promise;
  }

  function settling(original, items) {
    const entrants = list();
    const array = [];
    try {
      for (const item of items) {
        append(entrants, item);
        array[array.length] = item;
      }
    } catch (error) {
      return new PromiseOf((_, reject) => reject(error));
    }
    const state = tracked(entrants);
    const end = (settle) => (value) => { giveBack(state); settle(value); };
    apply(promiseThen, apply(original, PromiseOf, [array]), [end(state.resolve), end(state.reject)]);
    return state.promise;
  }

  return {
    __proto__: null, derived, giveBack,
    race: (items) => settling(raceOf, items),
    any: (items) => settling(anyOf, items),
    all: (items) => settling(allOf, items),
    allSettled: (items) => settling(allSettledOf, items),
  };
}
