// How far the script is.
(kit) => {
  "use strict";
  const { cut, emit, NumberOf, outstanding, readable, stringify, world } = kit;

  // ctx.progress({fraction?, label?}) is shown and never journaled.
  function progress(patch) {
    if (world.diverged || outstanding()) return;
    if (typeof patch === "number") patch = { fraction: patch };
    const { fraction, label } = patch === null || typeof patch !== "object" ? {} : patch;
    const part = typeof fraction === "number" && fraction >= 0 && fraction <= 1 ? NumberOf(fraction) : null;
    emit('["progress",' + part + "," + (label === undefined ? "null" : stringify(cut(readable(label), 200))) + "]");
  }

  return { __proto__: null, progress };
}
