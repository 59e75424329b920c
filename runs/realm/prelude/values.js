// Values that leave the realm: checked, so that nothing is lost in silence, and written as JSON text.
const MAX_DEPTH = 200;


// A copy of `value` as plain data, each property read once, so that what was checked is what is written. A property that is
// undefined is absent, as everywhere in JavaScript. `walk` lists the objects around the value; the first part that JSON
// would change or drop becomes walk.problem, {what, path}, and ends the walk.
// One frame for each level: 200 levels must fit in the stack beside what the script has on it.
function snapshot(value, name, walk) {
  if (typeof value !== "object" || value === null) return scalar(value, walk);
  const { toJSON } = value;
  if (typeof toJSON === "function") {
    value = apply(toJSON, value, [StringOf(name)]);
    if (typeof value !== "object" || value === null) return scalar(value, walk);
  }
  const isList = isArray(value);
  if (!isList) {
    const proto = getPrototypeOf(value);
    if (proto !== objectPrototype && proto !== null) {
      const boxed = part("refusal").unboxed(value, walk);
      if (boxed !== value) return boxed;
    }
  }
  const depth = walk.n;
  for (let i = 0; i < depth; i++) if (walk[i] === value) return refuse(walk, "an object that contains itself");
  if (depth >= MAX_DEPTH) return refuse(walk, "nested deeper than " + MAX_DEPTH + " levels");
  append(walk, value);
  const copy = isList ? setPrototypeOf([], null) : { __proto__: null };
  const names = isList ? null : keys(value);
  const n = isList ? value.length : names.length;
  for (let i = 0; i < n; i++) {
    const at = isList ? i : names[i];
    const item = value[at];
    if (item === undefined && !isList) continue;
    copy[at] = typeof item === "string" ? item : snapshot(item, at, walk);
    if (walk.problem) {
      walk.problem.path = (isList ? "[" + at + "]" : "." + at) + walk.problem.path;
      return null;
    }
  }
  walk.n = depth;
  return copy;
}

function scalar(value, walk) {
  const kind = typeof value;
  if (kind === "string" || kind === "boolean" || value === null || (kind === "number" && value - value === 0)) return value;
  return part("refusal").scalar(value, walk);
}
function refuse(walk, what) {
  walk.problem = { __proto__: null, what, path: "" };
  return null;
}

// The JSON text of `value`; throws an ActionError that names the path of what cannot be written. `what` names the value
// in messages: "the input of ctx.call".
function encode(value, what) {
  if (value === undefined) return "null";
  const walk = list();
  walk.problem = null;
  const plain = snapshot(value, "", walk);
  if (walk.problem) throw part("refusal").unwritable(what, walk.problem);
  return stringify(plain);
}

// The same with a limit, for what is stored as one value of an entry.
function encodeWithin(value, what) {
  const text = encode(value, what);
  if (text.length > world.resultMaxBytes) throw part("refusal").tooLong(what, text);
  return text;
}

// `text` of at most `max` characters, with a mark that says how much was cut.
function cut(text, max) {
  if (text.length <= max) return text;
  return apply(stringSlice, text, [0, max]) + "\u2026 (" + text.length + " characters)";
}
