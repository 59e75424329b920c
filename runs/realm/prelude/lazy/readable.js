// Values in messages.
(kit) => {
  "use strict";
  const { apply, encode, StringOf, toStringTag } = kit;

  // One argument of console.log as a person would read it; never throws.
  function readable(value) {
    if (typeof value === "string") return value;
    try {
      if (typeof value !== "object" || value === null) return StringOf(value);
      if (apply(toStringTag, value, []) === "[object Error]") return StringOf(value.name) + ": " + StringOf(value.message);
      try {
        return encode(value, "");
      } catch {
        return apply(toStringTag, value, []);
      }
    } catch {
      return "[" + typeof value + "]";
    }
  }

  return { __proto__: null, readable };
}
