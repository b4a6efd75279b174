/**
 * Sums of products of floats of 8 bits, to the bit as libdevice/wgmma.cu (cut_sum): the hardware cuts products and the
 * old sum at 2^-13 of the largest exponent's power, and adds what is left exactly. Here too: sums are whole numbers
 * below 2^21, as floats.
 *
 * Exponents are bytes, four elements in a word: EXPONENT_BIAS + the exponent, 0 of zero, 255 of infinities and NaN. So
 * bytes that are added with saturation are below LEAST_SUM where a factor is zero, and 255 where one is not finite.
 */
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpgroupElement } from "../planning/warpgroup-products.ts";

/** Emits code for one of the totals; the function leaves a pair of operands on the stack. */
export type EmitPair = (total: Local, pushPair: () => void) => void;

interface CutElement {
  readonly fractionBits: number;
  readonly bias: number;
  /** The largest finite number's code. */
  readonly largest: number;
}

const ELEMENTS: Partial<Readonly<Record<WarpgroupElement, CutElement>>> = {
  e4m3: { fractionBits: 3, bias: 7, largest: 0x7e },
  e5m2: { fractionBits: 2, bias: 15, largest: 0x7b },
};
const EXPONENT_BIAS = 80;
const LEAST_EXPONENT = -14;
const LEAST_SUM = 2 * (EXPONENT_BIAS + LEAST_EXPONENT);
const NOT_FINITE = 255;

const CUT_BITS = 13;
const FLOAT_BIAS = 127;
/** Of a float's bits. */
const INFINITE = 0x7f800000;
const CUT_FRACTION = 0x3ff;
const NAN = 0x7fffffff;

function exponentField(exponent: number): number {
  return (exponent + FLOAT_BIAS) << 23;
}

/** Sums of such elements are cut. */
export function isCut(element: WarpgroupElement): boolean {
  return ELEMENTS[element] !== undefined;
}

/** Leaves the exponents of words of elements. */
export function takeExponents(code: FunctionBuilder, words: Local, element: WarpgroupElement): void {
  const { fractionBits, bias, largest } = ELEMENTS[element]!;
  const bytes = (value: number): FunctionBuilder => all(code, value * 0x01010101);
  const codes = code.local("v128");
  code.localGet(words);
  bytes(0x7f).v128And().localTee(codes);
  code.i32Const(fractionBits).i8x16ShrU();
  bytes(1).i8x16MaxU();
  bytes(EXPONENT_BIAS - bias).i8x16Add();
  code.localGet(codes);
  bytes(0).i8x16Ne().v128And();
  code.localGet(codes);
  bytes(largest).i8x16GtS().v128Or();
  code.free(codes);
}

/**
 * @param totals the old sums, which become the new ones
 * @param pairs in order of k, for each of the totals: factors, and words of their exponents
 */
export function emitCutSums(
  code: FunctionBuilder,
  totals: readonly Local[],
  isHalf: boolean,
  pairs: { readonly factors: (emit: EmitPair) => void; readonly exponents: (emit: EmitPair) => void },
): void {
  const vectors = (): Local[] => totals.map(() => code.local("v128"));
  const [most, scale, units] = [vectors(), vectors(), vectors()];
  const indexOf = (total: Local): number => totals.indexOf(total);
  most.forEach((local) => all(code, 0).localSet(local));
  pairs.exponents((total, pushPair) => {
    const local = most[indexOf(total)]!;
    pushPair();
    code.i8x16AddSatU().localGet(local).i8x16MaxU().localSet(local);
  });
  totals.forEach((total, n) => {
    emitLargestPower(code, most[n]!, total, isHalf);
    all(code, (2 * FLOAT_BIAS + CUT_BITS) << 23);
    code.localGet(most[n]!).i32x4Sub().localTee(scale[n]!);
    code.localGet(total).f32x4Mul().f32x4Trunc().localSet(units[n]!);
  });
  pairs.factors((total, pushPair) => {
    const n = indexOf(total);
    pushPair();
    code.f32x4Mul().localGet(scale[n]!).f32x4Mul().f32x4Trunc();
    code.localGet(units[n]!).f32x4Add().localSet(units[n]!);
  });
  const isFinite = (n: number): FunctionBuilder => all(code.localGet(most[n]!), INFINITE).i32x4LtS();
  totals.forEach((_, n) => {
    isFinite(n);
    if (n > 0) code.v128And();
  });
  code.i32x4AllTrue().i32Eqz().if();
  emitPlainSums(code, totals, scale, pairs.factors);
  code.end();
  totals.forEach((total, n) => {
    // No zero is negative.
    all(code.localGet(units[n]!), 0).f32x4Add();
    all(code.localGet(most[n]!), CUT_BITS << 23)
      .i32x4Sub()
      .f32x4Mul();
    // All products are zero.
    all(code.localGet(total), 0).f32x4Add();
    all(code.localGet(most[n]!), exponentField(2 * LEAST_EXPONENT))
      .i32x4GeS()
      .v128Bitselect();
    if (!isHalf) all(code, ~CUT_FRACTION).v128And();
    code.localGet(scale[n]!);
    isFinite(n).v128Bitselect().localSet(total);
  });
  code.free(...most, ...scale, ...units);
}

/** `most`, bytes at first, becomes the largest power of two among products and the old sum, as a float's bits. */
function emitLargestPower(code: FunctionBuilder, most: Local, old: Local, isHalf: boolean): void {
  for (const bits of [16, 8]) code.localGet(most).localGet(most).i32Const(bits).i32x4ShrU().i8x16MaxU().localSet(most);
  all(code.localGet(most), 0xff).v128And().localSet(most);
  all(code, INFINITE);
  all(code.localGet(most), 2 * EXPONENT_BIAS - FLOAT_BIAS)
    .i32x4Sub()
    .i32Const(23)
    .i32x4Shl();
  all(code.localGet(most), LEAST_SUM).i32x4GeS().v128And();
  all(code.localGet(most), NOT_FINITE).i32x4Eq().v128Bitselect();
  all(code.localGet(old), INFINITE).v128And();
  if (isHalf) {
    all(code, exponentField(LEAST_EXPONENT)).i32x4MaxU();
    all(code.localGet(old), 0).f32x4Ne().v128And();
  }
  code.i32x4MaxU().localSet(most);
}

/** Where something is infinite or NaN. */
function emitPlainSums(
  code: FunctionBuilder,
  totals: readonly Local[],
  results: readonly Local[],
  factors: (emit: EmitPair) => void,
): void {
  totals.forEach((total, n) => code.localGet(total).localSet(results[n]!));
  factors((total, pushPair) => {
    const sum = results[totals.indexOf(total)]!;
    code.localGet(sum);
    pushPair();
    code.f32x4Mul().f32x4Add().localSet(sum);
  });
  for (const sum of results) {
    all(code.localGet(sum), NAN);
    code.localGet(sum).localGet(sum).f32x4Eq().v128Bitselect().localSet(sum);
  }
}

function all(code: FunctionBuilder, bits: number): FunctionBuilder {
  return code.i32x4Const(bits, bits, bits, bits);
}
