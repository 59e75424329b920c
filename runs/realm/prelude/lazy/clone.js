// structuredClone, for JSON values.
(kit) => {
  "use strict";
  const { encode, parse } = kit;

  function structuredClone(value) {
    return value === undefined ? undefined : parse(encode(value, "the value of structuredClone"));
  }

  return { __proto__: null, structuredClone };
}
