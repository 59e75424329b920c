// A replay that may leave the journal: new calls are issued while recorded ones are outstanding, and a completion whose
// call has not been made is passed over until it is. What has become of the journal is told at the end.
(kit) => {
  "use strict";
  const { append, apply, groups, list, mapForEach, open, outstanding, ownMap, world } = kit;
  const order = list(); // callSeqs, as they were delivered
  let strayed = false; // a strict replay would have diverged
  let first = null; // how much was outstanding when the script first asked for something new
  let begin = 0; // all completions before this one are delivered

  function missed() {
    if (outstanding()) strayed = true;
    if (first === null) first = { __proto__: null, recorded: world.recorded, delivered: order.n };
  }

  // As the strict one, of effects.js: 1 when it has delivered a completion, 0 when none can be.
  function next(deliver) {
    const { completions } = world;
    if (world.settled) return 0;
    for (let i = begin; i < completions.n; i++) {
      const it = completions[i];
      if (it === undefined) {
        if (i === begin) begin++;
        continue;
      }
      if (!deliver(it.callSeq, it.ok, it.value)) {
        strayed = true;
        continue;
      }
      completions[i] = undefined;
      world.delivered++;
      append(order, it.callSeq);
      return 1;
    }
    return 0;
  }

  // JSON of {strayed, early, order, unasked, open}.
  function leftovers() {
    const unasked = ownMap();
    apply(mapForEach, groups, [(of) => {
      for (let i = of.first; i < of.n; i++) unasked.set(of[i].callSeq, true);
    }]);
    let due = order.n;
    for (let i = 0; i < world.completions.n; i++) {
      const it = world.completions[i];
      if (it !== undefined && !unasked.has(it.callSeq)) due++;
    }
    const early = first !== null && (first.recorded > world.recorded || first.delivered < due);
    const away = strayed || (world.settled && world.recorded > 0);
    return '{"strayed":' + away + ',"early":' + early + ',"order":[' + joined(order) + '],"unasked":[' + keysOf(unasked) +
      '],"open":[' + keysOf(open) + "]}";
  }
  function joined(items) {
    let text = "";
    for (let i = 0; i < items.n; i++) text += (i ? "," : "") + items[i];
    return text;
  }
  function keysOf(map) {
    let text = "";
    apply(mapForEach, map, [(_, key) => { text += (text && ",") + key; }]);
    return text;
  }

  return { __proto__: null, missed, next, leftovers };
}
