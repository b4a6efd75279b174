// How the memory after a launch here is compared with the memory after it on the reference.
//
// Whole numbers, and bytes that no argument names, are equal. A float a agrees with the reference b if
//   |a - b| <= 2 u(type) |b| + 8 u(narrow) sqrt(L) R
// u(t): half the distance of 1 and the next number of the type. type: that of the memory. narrow: the narrowest float
// that the kernel computes with: of its arrays, of the types that its text names, tf32 where it has products of fp32.
// L: elements read for each element written (at least 1): sums in another order differ by about sqrt(L) roundings.
// R: the root of the mean square of what the launch wrote to this array. NaN agrees with NaN, infinities with
// themselves.
//
// Where sums cancel, that is too narrow for any order of them. A launch that does not agree is then computed once more
// with floats of 64 bits (exact.mjs), and agrees if, in each array, its greatest distance from these is at most twice
// the reference's own. A launch is "undetermined" if a second run of the reference from the same memory does not agree
// with the first: its programs race, and no result is the right one.

const ROUNDOFF = {
  float64: 2 ** -53,
  float32: 2 ** -24,
  tf32: 2 ** -11,
  float16: 2 ** -11,
  bfloat16: 2 ** -8,
  float8e4nv: 2 ** -4,
  float8e5: 2 ** -3,
};
const BYTES = { float64: 8, float32: 4, float16: 2, bfloat16: 2, float8e4nv: 1, float8e5: 1 };

const buffer = new DataView(new ArrayBuffer(8));
const half = (bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
};
const bfloat = (bits) => {
  buffer.setUint32(0, bits << 16);
  return buffer.getFloat32(0);
};
const float8 = (bits) => {
  if ((bits & 0x7f) === 0x7f) return NaN;
  const sign = bits & 0x80 ? -1 : 1;
  const exponent = (bits >> 3) & 15;
  const fraction = bits & 7;
  return sign * (exponent === 0 ? fraction * 2 ** -9 : (8 + fraction) * 2 ** (exponent - 10));
};

/** The element that begins at a byte. */
export function reader(type, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case "float64":
      return (at) => view.getFloat64(at, true);
    case "float32":
      return (at) => view.getFloat32(at, true);
    case "float16":
      return (at) => half(view.getUint16(at, true));
    case "bfloat16":
      return (at) => bfloat(view.getUint16(at, true));
    case "float8e4nv":
      return (at) => float8(view.getUint8(at));
    default:
      return (at) => half(view.getUint8(at) << 8);
  }
}

/** The float type that each region has, by the arguments that lead to it, and where its first element lies. */
export function typesOf(launch) {
  const types = launch.regions.map(() => null);
  const look = (value) => {
    if (!Array.isArray(value)) return;
    if (value[0] !== "memory") return value.forEach(look);
    const [, region, offset, , type] = value;
    const bytes = BYTES[type];
    if (bytes === undefined) return;
    const known = types[region];
    if (known === null || known.bytes > bytes) types[region] = { type, bytes, offset: offset % bytes };
  };
  launch.arguments.forEach(([, value]) => look(value));
  return types;
}

const NAMED = [
  ["float8e4nv", /float8e4nv|float8_e4m3/],
  ["float8e5", /float8e5\b|float8_e5m2/],
  ["bfloat16", /bfloat16|\bbf16\b/],
  ["float16", /\bfloat16\b|\bfp16\b/],
];

export function narrowest(launch) {
  const found = new Set(typesOf(launch).flatMap((type) => (type === null ? [] : [type.type])));
  const text = launch.functions.map((fn) => fn.text).join("\n");
  for (const [type, pattern] of NAMED) if (pattern.test(text)) found.add(type);
  const constants = JSON.stringify([launch.arguments, launch.functions.map(({ values }) => values)]);
  for (const [type] of NAMED) if (constants.includes(`["dtype","${type}"]`)) found.add(type);
  if (/\bdot\(/.test(text)) found.add("tf32");
  return [...found].reduce((most, type) => Math.max(most, ROUNDOFF[type]), ROUNDOFF.float64);
}

function elementsOf(regions, types) {
  return regions.map(({ before }, i) => Math.floor(before.length / (types[i]?.bytes ?? 4)));
}

/** Of two memories: where they differ by more than the bound, and by how much at worst, in bounds. */
export function compareLaunch(launch, regions, results, other = "after") {
  const types = typesOf(launch);
  const narrow = narrowest(launch);
  const counts = elementsOf(regions, types);
  const read = counts.reduce((sum, count) => sum + count, 0);
  let worst = 0;
  let wrong = 0;
  let compared = 0;
  let unsure = 0;
  let unstable = 0;
  let where = null;
  for (const [i, region] of regions.entries()) {
    const { before, again } = region;
    const after = region[other];
    const got = results[i];
    const type = types[i];
    const written = writtenOf(type, before, after, got);
    compared += written.count;
    if (written.count === 0) continue;
    const length = Math.max(1, read / written.count);
    const report = (at, a, b, ratio) => {
      wrong++;
      if (ratio > worst || where === null)
        where = { region: i, element: at, here: `${a}`, there: `${b}`, type: type?.type ?? "bytes" };
      worst = Math.max(worst, ratio);
    };
    if (type === null) {
      for (let at = 0; at < got.length; at++) {
        if (again !== null && again[at] !== after[at]) unstable++;
        if (got[at] === after[at]) continue;
        // What another run of the reference has differently depends on the order of its programs.
        if (again !== null && again[at] !== after[at]) unsure++;
        else report(at, got[at], after[at], Infinity);
      }
      continue;
    }
    const [mine, theirs, second] = [got, after, again].map((bytes) =>
      bytes === null ? null : reader(type.type, bytes),
    );
    const u = ROUNDOFF[type.type];
    const bound = 8 * narrow * Math.sqrt(length) * written.size;
    for (let at = type.offset; at + type.bytes <= got.length; at += type.bytes) {
      const [a, b] = [mine(at), theirs(at)];
      if (second !== null && !(Math.abs(second(at) - b) <= 2 * u * Math.abs(b) + bound)) unstable++;
      if (Object.is(a, b) || a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
      const allowed = 2 * u * Math.abs(b) + bound + (second === null ? 0 : 4 * Math.abs(second(at) - b) || 0);
      const ratio = Math.abs(a - b) / allowed;
      if (ratio <= 1) worst = Math.max(worst, ratio);
      else report(at / type.bytes, a, b, Number.isNaN(ratio) ? Infinity : ratio);
    }
  }
  const agreed = compared === 0 ? "nothing" : "right";
  const differing = unstable > 0 ? "undetermined" : "differs";
  const status = wrong > 0 ? differing : agreed;
  return {
    status,
    worst: Number.isFinite(worst) ? Number(worst.toPrecision(3)) : "not finite",
    wrong,
    compared,
    unsure,
    where,
  };
}

/** Elements that the launch has changed, there or here, and the root of the mean square of those there. */
function writtenOf(type, before, after, got) {
  let count = 0;
  let squares = 0;
  const bytes = type?.bytes ?? 1;
  const value = type === null ? null : reader(type.type, after);
  for (let at = type?.offset ?? 0; at + bytes <= after.length; at += bytes) {
    let isChanged = false;
    for (let i = at; i < at + bytes; i++) if (before[i] !== after[i] || before[i] !== got[i]) isChanged = true;
    if (!isChanged) continue;
    count++;
    const b = value === null ? 0 : value(at);
    if (Number.isFinite(b)) squares += b * b;
  }
  return { count, size: count === 0 ? 0 : Math.sqrt(squares / count) };
}

/**
 * Whether each array is about as near to the floats of 64 bits as the reference's is.
 * @param exact of exactRun
 */
export function compareWithExact(launch, regions, results, exact) {
  const types = typesOf(launch);
  let ratio = 0;
  for (const [i, { before, after }] of regions.entries()) {
    const type = types[i];
    const got = results[i];
    if (type === null) {
      if (got.some((byte, at) => byte !== after[at])) return { status: "differs", ratio: null };
      continue;
    }
    const [mine, theirs] = [reader(type.type, got), reader(type.type, after)];
    let [own, reference] = [0, 0];
    for (let at = type.offset; at + type.bytes <= got.length; at += type.bytes) {
      const [a, b] = [mine(at), theirs(at)];
      const value = exact[i](at);
      if (value === undefined) {
        if (!Object.is(a, b) && a !== b && !(Number.isNaN(a) && Number.isNaN(b)))
          return { status: "differs", ratio: null };
        continue;
      }
      if (Number.isNaN(a) && Number.isNaN(b)) continue;
      if (a === b && !Number.isFinite(a)) continue;
      // Half a unit of the type is no error of either.
      const least = ROUNDOFF[type.type] * Math.abs(value);
      own = Math.max(own, Math.abs(a - value), least);
      reference = Math.max(reference, Math.abs(b - value), least);
    }
    if (before.length > 0 && reference > 0) ratio = Math.max(ratio, own / reference);
    if (!(own <= 2 * reference)) return { status: "differs", ratio: Number((own / reference).toPrecision(3)) };
  }
  return { status: "right", ratio: Number(ratio.toPrecision(3)) };
}
