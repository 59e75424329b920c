// TextEncoder and TextDecoder for UTF-8: pure functions, safe to replay.
(kit) => {
  "use strict";
  const {
    apply, Bytes, bytesSlice, charCodeAt, freeze, fromCharCode, isView, RangeErrorOf, StringOf, toLowerCase, TypeErrorOf,
  } = kit;

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(input = "") {
      const text = StringOf(input);
      const n = text.length;
      const bytes = new Bytes(n * 3);
      let to = 0;
      for (let i = 0; i < n; i++) {
        let point = apply(charCodeAt, text, [i]);
        if (point >= 0xd800 && point <= 0xdfff) {
          const low = point < 0xdc00 && i + 1 < n ? apply(charCodeAt, text, [i + 1]) : 0;
          if (low >= 0xdc00 && low <= 0xdfff) {
            point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
            i++;
          } else {
            point = 0xfffd;
          }
        }
        if (point < 0x80) {
          bytes[to++] = point;
        } else if (point < 0x800) {
          bytes[to++] = 0xc0 | point >> 6;
          bytes[to++] = 0x80 | point & 63;
        } else if (point < 0x10000) {
          bytes[to++] = 0xe0 | point >> 12;
          bytes[to++] = 0x80 | point >> 6 & 63;
          bytes[to++] = 0x80 | point & 63;
        } else {
          bytes[to++] = 0xf0 | point >> 18;
          bytes[to++] = 0x80 | point >> 12 & 63;
          bytes[to++] = 0x80 | point >> 6 & 63;
          bytes[to++] = 0x80 | point & 63;
        }
      }
      return apply(bytesSlice, bytes, [0, to]);
    }
  }

  class TextDecoder {
    #fatal;
    #ignoreBOM;
    constructor(label = "utf-8", options = {}) {
      const name = apply(toLowerCase, StringOf(label), []);
      if (name !== "utf-8" && name !== "utf8") throw new RangeErrorOf("TextDecoder knows utf-8 only, not " + label);
      this.#fatal = !!(options && options.fatal);
      this.#ignoreBOM = !!(options && options.ignoreBOM);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input, options) {
      if (options && options.stream) throw new TypeErrorOf("TextDecoder cannot stream; join the parts and decode them at once");
      if (input === undefined) return "";
      const bytes = isView(input) ? new Bytes(input.buffer, input.byteOffset, input.byteLength) : new Bytes(input);
      let text = "";
      for (let i = 0; i < bytes.length;) {
        const { point, size } = decodeOne(bytes, i);
        if (point < 0 && this.#fatal) throw new TypeErrorOf("the bytes are not UTF-8 at offset " + i);
        if (!(i === 0 && point === 0xfeff && !this.#ignoreBOM)) text += fromPoint(point < 0 ? 0xfffd : point);
        i += size;
      }
      return text;
    }
  }

  function fromPoint(point) {
    if (point < 0x10000) return fromCharCode(point);
    return fromCharCode(0xd800 + (point - 0x10000 >> 10), 0xdc00 + (point - 0x10000 & 0x3ff));
  }

  // One code point from offset i: {point, size}; point -1 for a maximal ill-formed part (WHATWG: one U+FFFD each).
  function decodeOne(bytes, i) {
    const first = bytes[i];
    if (first < 0x80) return { point: first, size: 1 };
    const more = first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : first >= 0xf0 && first <= 0xf4 ? 3 : 0;
    if (more === 0) return { point: -1, size: 1 };
    let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    let point = first & (more === 1 ? 31 : more === 2 ? 15 : 7);
    for (let k = 1; k <= more; k++) {
      const byte = bytes[i + k];
      if (!(byte >= low && byte <= high)) return { point: -1, size: k };
      point = point << 6 | byte & 63;
      low = 0x80;
      high = 0xbf;
    }
    return { point, size: more + 1 };
  }
  freeze(TextEncoder.prototype);
  freeze(TextDecoder.prototype);

  return { __proto__: null, TextEncoder, TextDecoder };
}
