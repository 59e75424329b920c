// Durations, and what ctx.sleep does not take.
(kit) => {
  "use strict";
  const { callerLine, freeze, invalid, readable, rejected, sleep, SLEEP_MAX, StringOf } = kit;

  // A length of time that works as a number (of ms) and can be awaited, which sleeps.
  class Duration {
    #ms;
    constructor(ms) {
      this.#ms = ms;
      freeze(this);
    }
    valueOf() { return this.#ms; }
    toJSON() { return this.#ms; }
    toString() { return StringOf(this.#ms); }
    then(onFulfilled, onRejected) { return sleep(this.#ms).then(onFulfilled, onRejected); }
    static msOf(value) { return typeof value === "object" && value !== null && #ms in value ? value.#ms : value; }
  }
  const msOf = Duration.msOf;
  delete Duration.msOf;
  freeze(Duration.prototype);

  function duration(name, unit, n) {
    if (typeof n !== "number" || n - n !== 0) throw invalid("ctx." + name + " takes a number, not " + readable(n));
    return new Duration(n * unit);
  }

  // The rejected promise for a sleep of `ms`, which came as `given`.
  function noSleep(given, ms) {
    let why;
    if (typeof ms !== "number") why = "takes a number of ms or a duration such as ctx.minutes(5), not " + readable(given);
    else if (ms !== ms) why = "was given NaN";
    else if (ms < 0) why = "cannot sleep " + ms + " ms; a duration is 0 or more";
    else why = "cannot sleep " + ms + " ms; the most is ten years (" + SLEEP_MAX + " ms)";
    return rejected(invalid("ctx.sleep " + why), "ctx.sleep", callerLine());
  }

  return { __proto__: null, duration, msOf, noSleep };
}
