// The clock, and sleeping.
const SLEEP_MAX = 10 * 366 * 24 * 3600 * 1000; // ms; longer than any run lives

function now() {
  const group = record("now", (seq) => '"now",' + seq + "," + world.clock);
  return world.diverged ? never() : resolved(group ? group.value : world.clock);
}

function durations(name, unit) {
  return (n) => part("duration").duration(name, unit, n);
}
function msOf(value) {
  return made.duration ? made.duration.msOf(value) : value; // without the class there is no value of it
}

// ctx.sleep(ms): 0 returns at once, up to ten years, fractions of a ms round up.
function sleep(duration) {
  const ms = msOf(duration);
  if (typeof ms !== "number" || !(ms >= 0 && ms <= SLEEP_MAX)) return part("duration").noSleep(duration, ms);
  if (ms === 0) return resolved(undefined);
  const whole = ceil(ms);
  return issue("sleep", "sleep|" + whole, StringOf(whole), "ctx.sleep");
}
