// RFC 8949, 4.2.1: the one encoding of a value. Text, byte strings, numbers, true, false, null, arrays, objects.

const text = new TextEncoder();

/** The bytes of a value. A number without a fraction is an integer, any other the shortest float that holds it. */
export function canonical(value) {
  if (value === null) return Uint8Array.of(0xf6);
  if (value === false) return Uint8Array.of(0xf4);
  if (value === true) return Uint8Array.of(0xf5);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? integer(value) : float(value);
  if (typeof value === 'string') return strung(3, text.encode(value));
  if (value instanceof Uint8Array) return strung(2, value);
  if (Array.isArray(value)) return joined(head(4, value.length), ...value.map(canonical));
  const pairs = Object.entries(value).map(([key, item]) => [canonical(key), canonical(item)]);
  pairs.sort(([a], [b]) => Buffer.compare(a, b));
  return joined(head(5, pairs.length), ...pairs.flat());
}

/** The major type and its argument in the fewest bytes. */
function head(major, argument) {
  const bits = major << 5;
  if (argument < 24) return Uint8Array.of(bits | argument);
  if (argument < 0x100) return Uint8Array.of(bits | 24, argument);
  if (argument < 0x10000) return numbered(bits | 25, 2, (view) => view.setUint16(1, argument));
  if (argument < 0x100000000) return numbered(bits | 26, 4, (view) => view.setUint32(1, argument));
  return numbered(bits | 27, 8, (view) => view.setBigUint64(1, BigInt(argument)));
}

function integer(value) {
  return value < 0 ? head(1, -1 - value) : head(0, value);
}

function strung(major, bytes) {
  return joined(head(major, bytes.length), bytes);
}

function float(value) {
  const half = halved(value);
  if (half !== null) return numbered(0xf9, 2, (view) => view.setUint16(1, half));
  if (Math.fround(value) === value) return numbered(0xfa, 4, (view) => view.setFloat32(1, value));
  return numbered(0xfb, 8, (view) => view.setFloat64(1, value));
}

/** The sixteen bits of a finite number as a half float, null where those do not hold it. */
function halved(value) {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  if (exponent > 15) return null;
  const fraction = size * 2 ** (10 - exponent); // with the leading one, unless it is subnormal
  if (!Number.isInteger(fraction) || fraction >= 2048) return null;
  return sign | (fraction < 1024 ? fraction : ((exponent + 15) << 10) + fraction - 1024);
}

function numbered(first, size, write) {
  const bytes = new Uint8Array(1 + size);
  bytes[0] = first;
  write(new DataView(bytes.buffer));
  return bytes;
}

function joined(...parts) {
  return Uint8Array.from(Buffer.concat(parts));
}
