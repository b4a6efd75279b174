/** Operands at which operations differ: at the ends of ranges, halfway between two floats, subnormal, NaN. */
import { Random } from "../engine/fuzz/random.ts";
import { bitsOf, type EmittedOperation } from "./emitted-operations.test-data.ts";
import { decode, FORMATS } from "./exact-floats.test-helper.ts";

const FORMAT_OF: Readonly<Record<string, keyof typeof FORMATS>> = {
  half: "f16",
  bfloat: "bf16",
  float: "f32",
  double: "f64",
};
/** Tuples of operands of one operation, at most. */
const MOST_TUPLES = 512;

function operandsOf(type: string): bigint[] {
  const bits = BigInt(bitsOf(type));
  const all = (1n << bits) - 1n;
  if (type === "i1") return [0n, 1n];
  const random = new Random(Number(bits) + type.length);
  const any = (): bigint => ((BigInt(random.next() >>> 0) << 32n) | BigInt(random.next() >>> 0)) & all;
  const format = FORMAT_OF[type];
  if (format === undefined) {
    const sign = 1n << (bits - 1n);
    return [0n, 1n, 2n, 7n, bits - 1n, bits / 2n, sign - 1n, sign, sign + 1n, all - 1n, all, any(), any(), any()];
  }
  const { precision, bits: width } = FORMATS[format]!;
  const fraction = BigInt(precision - 1);
  const [one, sign] = [((1n << BigInt(width - precision - 1)) - 1n) << fraction, 1n << (bits - 1n)];
  const infinity = ((1n << BigInt(width - precision)) - 1n) << fraction;
  const unit = 1n << fraction;
  const near = [0n, 1n, unit - 1n, unit, one, one + 1n, one - 1n, one - unit, one + unit / 2n, infinity - 1n];
  // 2.5, 3, a half less a little, the middle of two neighbours of a narrower format, large whole numbers
  const between = [one + unit + unit / 4n, one + unit + unit / 2n, one - unit - 1n, one + (1n << (fraction / 2n)) - 1n];
  const large = [one + 7n * unit + 3n, one + 15n * unit + unit / 2n + 1n];
  const magnitudes = [...near, ...between, ...large, infinity, infinity | (unit >> 1n)].filter((value) => value < sign);
  return [...magnitudes, ...magnitudes.map((value) => value | sign), any(), any(), any(), any()];
}

/** Tuples of operands: all, or where these are too many, an even choice of them. */
export function tuplesOf({ operands, without }: Pick<EmittedOperation, "operands" | "without">): bigint[][] {
  let tuples: bigint[][] = [[]];
  for (const type of operands) tuples = tuples.flatMap((tuple) => operandsOf(type).map((value) => [...tuple, value]));
  if (without !== undefined) tuples = tuples.filter((tuple) => !without(tuple));
  const random = new Random(tuples.length);
  if (tuples.length <= MOST_TUPLES) return tuples;
  return Array.from({ length: MOST_TUPLES }, () => random.pick(tuples));
}

/** NaNs are alike. */
export function shown(bits: bigint, type: string): string {
  const format = FORMAT_OF[type];
  if (format !== undefined && decode(bits, FORMATS[format]!).kind === "nan") return "NaN";
  return bits.toString(16);
}
