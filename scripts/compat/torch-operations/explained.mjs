// Where results differ for a reason that is known, and is not Heddle's.

/** Operation, what differs, and why. */
const EXPLAINED = [
  {
    operation: /^softmax$/,
    why: /dtype float32 for uint8/,
    reason: "PyTorch refuses a softmax of whole numbers, but for a tensor without elements, which it returns as it is",
  },
  {
    operation: /^nn\.functional\.interpolate#/,
    why: /value \d+ for \d+ \(uint8\)/,
    isOne: true,
    reason: "PyTorch's CPU kernel for uint8 has weights of few bits: one unit apart, in halves between two numbers",
  },
  {
    operation: /^(fmod|remainder|floor_divide)$/,
    why: /\((u?int\d+)\)/,
    isZero: true,
    reason: "a whole number divided by 0: CUDA does not say what that gives",
  },
  {
    operation: /^fmod$/,
    why: /^gradient: value/,
    isDivisor: true,
    reason:
      "the gradient of a divisor of rank 0 is a sum of numbers of 8 bits that cancel: both are near, for their sizes",
  },
  {
    operation: /^nn\.functional\.avg_pool1d$/,
    why: /^gradient: value/,
    isTransposed: true,
    reason:
      "PyTorch on a GPU gives the gradient of a transposed input in another order; on a CPU it gives Heddle's (tried)",
  },
];

/** Null: none is known. */
export function explanation(name, each, why) {
  const found = EXPLAINED.find(
    (one) =>
      one.operation.test(name) &&
      one.why.test(why) &&
      (one.isTransposed === undefined || isTransposed(each.args[0])) &&
      (one.isDivisor === undefined || isNarrowByOne(each.args)) &&
      (one.isOne === undefined || isOneApart(why)) &&
      (one.isZero === undefined || hasZero(each.args[1])),
  );
  return found?.reason ?? null;
}

/** The last dimension is not the one whose elements are beside one another. */
const isTransposed = ({ t: [, shape, strides] }) => shape.at(-1) > 1 && strides.at(-1) !== 1;

/** Floats of 16 bits, and a divisor of rank 0. */
const isNarrowByOne = ([x, by]) => /float16$/.test(x.t?.[0] ?? "") && by?.t?.[1].length === 0;

function isOneApart(why) {
  const [a, b] = why.match(/\d+/g).map(Number);
  return Math.abs(a - b) === 1;
}

/** Whether some element of a tensor of whole numbers is 0. */
function hasZero(value) {
  if (value === 0) return true;
  if (value === null || typeof value !== "object" || !("t" in value)) return false;
  const bytes = Buffer.from(value.d, "base64");
  const size = { int64: 8, int32: 4, int16: 2, int8: 1, uint8: 1, bool: 1 }[value.t[0]] ?? 0;
  for (let at = 0; size > 0 && at < bytes.length; at += size)
    if (bytes.subarray(at, at + size).every((byte) => byte === 0)) return true;
  return false;
}
