// What the prelude needs of the engine, captured before the script runs. From here on nothing of the prelude looks up a
// method on an object that the script can reach: own properties, captured functions and syntax only.
const { parse, stringify } = JSON;
const { apply } = Reflect;
const {
  defineProperty, freeze, getPrototypeOf, keys, prototype: objectPrototype, setPrototypeOf,
} = Object;
const { isArray } = Array;
const P = Promise;
const ErrorOf = Error;
const promiseThen = P.prototype.then;
const stringSlice = String.prototype.slice;
const { ceil } = Math;
const StringOf = String;
const Bytes = Uint8Array;
const globalThis_ = globalThis;

// Makes a constant of `object`.
function fix(object, name, value) {
  defineProperty(object, name, { __proto__: null, value, writable: false, configurable: false });
}

// A Map whose methods are its own, so that no patch of Map.prototype is ever asked.
const mapMethods = { __proto__: null };
for (const name of ["get", "set", "delete", "has"]) mapMethods[name] = { __proto__: null, value: Map.prototype[name] };
const MapOf = Map;
function ownMap() {
  const map = new MapOf();
  for (const name in mapMethods) defineProperty(map, name, mapMethods[name]);
  return map;
}

// A list that inherits nothing: an index setter on Array.prototype or Object.prototype cannot see what is appended.
function list() {
  return { __proto__: null, n: 0 };
}
function append(to, item) {
  to[to.n++] = item;
}
