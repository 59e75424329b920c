// Objects that are not plain, and the words for what JSON would change or drop.
(kit) => {
  "use strict";
  const {
    apply, booleanValue, cut, invalid, isView, NumberOf, refuse, StringOf, toStringTag, world,
  } = kit;

  const UNWRITABLE = {
    __proto__: null,
    "[object Map]": "a Map; pass Object.fromEntries(map)",
    "[object Set]": "a Set; pass [...set]",
    "[object Error]": "an Error; pass its message",
    "[object RegExp]": "a RegExp; pass its source",
    "[object ArrayBuffer]": "an ArrayBuffer; pass an array of numbers or text",
    "[object DataView]": "a DataView; pass an array of numbers or text",
    "[object WeakMap]": "a WeakMap",
    "[object WeakSet]": "a WeakSet",
    "[object BigInt]": "a BigInt; pass String(n) or Number(n)",
    "[object Symbol]": "a symbol",
    "[object Generator]": "a generator; pass [...generator]",
    "[object AsyncGenerator]": "a generator; collect its values first",
    "[object Array Iterator]": "an iterator; pass [...iterator]",
    "[object Map Iterator]": "an iterator; pass [...iterator]",
    "[object Set Iterator]": "an iterator; pass [...iterator]",
    "[object String Iterator]": "an iterator; pass [...iterator]",
    "[object Iterator Helper]": "an iterator; pass [...iterator]",
  };

  // `value` is neither plain nor a list. The primitive in a Number, String or Boolean object; null, refused, for what JSON
  // would write as {}; else `value` itself.
  function unboxed(value, walk) {
    if (typeof value.then === "function") return refuse(walk, "a promise; await it first");
    const tag = apply(toStringTag, value, []);
    if (tag === "[object Number]") return scalar(NumberOf(value), walk);
    if (tag === "[object String]") return StringOf(value);
    if (tag === "[object Boolean]") return apply(booleanValue, value, []);
    const what = UNWRITABLE[tag] || (isView(value) ? "a typed array; pass [...array]" : null);
    return what ? refuse(walk, what) : value;
  }

  // What is no object and not written as it stands; see values.js for the rest.
  function scalar(value, walk) {
    switch (typeof value) {
      case "number": return value - value === 0 ? value : refuse(walk, StringOf(value) + ", which JSON cannot carry");
      case "undefined": return refuse(walk, "undefined; use null");
      case "bigint": return refuse(walk, "a BigInt; pass String(n) or Number(n)");
      case "function": return refuse(walk, "a function");
      case "symbol": return refuse(walk, "a symbol");
    }
    return value;
  }

  function unwritable(what, { path, what: why }) {
    return invalid(what + (path && " at " + cut(path, 200)) + " is " + why);
  }
  function tooLong(what, text) {
    return invalid(what + " is " + text.length + " characters of JSON; the limit is " + world.resultMaxBytes +
      ": keep large data outside (store.put, a URL) and pass a reference");
  }

  return { __proto__: null, unboxed, scalar, unwritable, tooLong };
}
