/**
 * Sums of products of floats of 8 bits, to the bit as libdevice/wgmma.cu (cut_sum): the hardware cuts products and the
 * old sum at 2^-13 of the largest exponent's power, and adds what is left exactly, here as integers.
 */
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpgroupElement } from "../planning/warpgroup-products.ts";

/** Emits code for one of the totals; the function leaves a pair of operands on the stack. */
export type EmitPair = (total: Local, pushPair: () => void) => void;

const CUT_BITS = 13;
const BIAS = 127;
/** Of a float's bits. */
const EXPONENT = 0x7f800000;
const CUT_FRACTION = 0x3ff;
const NAN = 0x7fffffff;
/** No product of two numbers but zero has a lower power. */
const LEAST_PRODUCT = exponentField(-28);

function exponentField(exponent: number): number {
  return (exponent + BIAS) << 23;
}

/** The exponent of subnormals, as a float's bits; null: sums of such elements are not cut. */
export function cutOf(element: WarpgroupElement): { readonly least: number } | null {
  if (element === "e4m3") return { least: exponentField(-6) };
  return element === "e5m2" ? { least: exponentField(-14) } : null;
}

/** Leaves 2^exponent of floats: 0 of zero, infinity of infinities and NaN. */
export function takePower(code: FunctionBuilder, values: Local, least: number): void {
  code.localGet(values);
  all(code, EXPONENT).v128And();
  if (least === 0) return;
  all(code, least).i32x4MaxU();
  code.localGet(values);
  all(code, 0).f32x4Ne().v128And();
}

/**
 * @param totals the old sums, which become the new ones
 * @param pairs in order of k, for each of the totals: factors, and their powers
 */
export function emitCutSums(
  code: FunctionBuilder,
  totals: readonly Local[],
  isHalf: boolean,
  pairs: { readonly factors: (emit: EmitPair) => void; readonly powers: (emit: EmitPair) => void },
): void {
  const vectors = (): Local[] => totals.map(() => code.local("v128"));
  const [most, scale, units] = [vectors(), vectors(), vectors()];
  const indexOf = (total: Local): number => totals.indexOf(total);
  totals.forEach((total, n) => {
    takePower(code, total, isHalf ? exponentField(-14) : 0);
    code.localSet(most[n]!);
  });
  pairs.powers((total, pushPair) => {
    const local = most[indexOf(total)]!;
    pushPair();
    code.f32x4Mul().localGet(local).f32x4Max().localSet(local);
  });
  totals.forEach((total, n) => {
    all(code, (2 * BIAS + CUT_BITS) << 23);
    code.localGet(most[n]!).i32x4Sub().localTee(scale[n]!);
    code.localGet(total).f32x4Mul().i32x4TruncSatF32x4S().localSet(units[n]!);
  });
  pairs.factors((total, pushPair) => {
    const n = indexOf(total);
    pushPair();
    code.f32x4Mul().localGet(scale[n]!).f32x4Mul().i32x4TruncSatF32x4S();
    code.localGet(units[n]!).i32x4Add().localSet(units[n]!);
  });
  // Where something is infinite or NaN: plain sums.
  const plain = code.local("v128");
  const isFinite = (n: number): FunctionBuilder => all(code.localGet(most[n]!), EXPONENT).f32x4Lt();
  totals.forEach((_, n) => {
    isFinite(n);
    if (n > 0) code.v128And();
  });
  code.i32x4AllTrue().i32Eqz().if();
  totals.forEach((total, n) => code.localGet(total).localSet(scale[n]!));
  pairs.factors((total, pushPair) => {
    const n = indexOf(total);
    code.localGet(scale[n]!);
    pushPair();
    code.f32x4Mul().f32x4Add().localSet(scale[n]!);
  });
  totals.forEach((_, n) => {
    code.localGet(scale[n]!).localTee(plain);
    all(code, NAN);
    code.localGet(plain).localGet(plain).f32x4Eq().v128Bitselect().localSet(scale[n]!);
  });
  code.end();
  totals.forEach((total, n) => {
    code.localGet(units[n]!).f32x4ConvertI32x4S();
    all(code.localGet(most[n]!), CUT_BITS << 23)
      .i32x4Sub()
      .f32x4Mul();
    // All products are zero.
    all(code.localGet(total), 0).f32x4Add();
    all(code.localGet(most[n]!), LEAST_PRODUCT).i32x4GeS().v128Bitselect();
    if (!isHalf) all(code, ~CUT_FRACTION).v128And();
    code.localGet(scale[n]!);
    isFinite(n).v128Bitselect().localSet(total);
  });
  code.free(plain, ...most, ...scale, ...units);
}

function all(code: FunctionBuilder, bits: number): FunctionBuilder {
  return code.i32x4Const(bits, bits, bits, bits);
}
