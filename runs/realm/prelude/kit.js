// What lazy parts may use: intrinsics as they were before the script, and the prelude's own functions.
const kit = {
  __proto__: null,
  append, apply, Bytes, bytesSlice: Bytes.prototype.slice, booleanValue: Boolean.prototype.valueOf, callerLine,
  charCodeAt: String.prototype.charCodeAt, cut, defineProperty, emit, encode, encodeWithin, ErrorOf, floor: Math.floor, follow,
  freeze, fromCharCode: String.fromCharCode, groups, invalid, isArray, isView: ArrayBuffer.isView, keys, list, made,
  mapForEach: Map.prototype.forEach, msOf, never, NumberOf: Number, outstanding, ownMap, parse, pending, RangeErrorOf: RangeError,
  readable, record, refuse, rejected, resolved, sleep, SLEEP_MAX, StringOf, stringify, stringSlice,
  toLowerCase: String.prototype.toLowerCase, toStringTag: objectPrototype.toString, TypeErrorOf: TypeError, unwatched, world,
};
