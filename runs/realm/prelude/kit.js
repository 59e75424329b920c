// What lazy parts may use: intrinsics as they were before the script, and the prelude's own functions.
const kit = {
  __proto__: null,
  allOf: P.all, allSettledOf: P.allSettled, anyOf: P.any, append, apply, Bytes, bytesSlice: Bytes.prototype.slice, booleanValue: Boolean.prototype.valueOf, callerLine, ceil,
  charCodeAt: String.prototype.charCodeAt, cut, defineProperty, emit, encode, encodeWithin, ErrorOf, flatKey, floor: Math.floor, follow,
  freeze, fromCharCode: String.fromCharCode, groups, invalid, issue, isArray, isView: ArrayBuffer.isView, keys, list, made,
  mapForEach: Map.prototype.forEach, msOf, never, NumberOf: Number, open, outstanding, ownMap, parse, part, pending,
  PromiseOf: P, promiseThen, raceOf: P.race, RangeErrorOf: RangeError,
  readable, record, refuse, rejected, release, resolved, keepScript, scriptNumber, sleep, SLEEP_MAX, StringOf, stringify, stringSlice,
  toLowerCase: String.prototype.toLowerCase, toStringTag: objectPrototype.toString, TypeErrorOf: TypeError, unwatched, world,
};
