/** The elements of the 32-bit words that products of warpgroups multiply (libdevice/wgmma.cu). */
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { WarpgroupElement } from "../planning/warpgroup-products.ts";
import type { FloatHelpers } from "./float-helpers.ts";

export const ELEMENTS_OF_WORD: Readonly<Record<WarpgroupElement, number>> = {
  tf32: 1,
  f16: 2,
  bf16: 2,
  e4m3: 4,
  e5m2: 4,
  s8: 4,
  u8: 4,
};

/** Takes words, leaves element `part` of each as what is multiplied: a float or an integer. */
export function takeElement(
  code: FunctionBuilder,
  helpers: FloatHelpers,
  element: WarpgroupElement,
  part: number,
): void {
  const and = (bits: number): FunctionBuilder => code.i32x4Const(bits, bits, bits, bits).v128And();
  const toFloat = (): FunctionBuilder => code.call(helpers.halfToFloat);
  switch (element) {
    case "f16":
      if (part === 0) and(0xffff);
      else code.i32Const(16).i32x4ShrU();
      toFloat();
      break;
    case "bf16":
      if (part === 0) code.i32Const(16).i32x4Shl();
      else and(0xffff0000 | 0);
      break;
    case "tf32":
      and(0xffffe000 | 0);
      break;
    case "e5m2":
      if (part > 0) code.i32Const(8 * part).i32x4ShrU();
      and(0xff);
      code.i32Const(8).i32x4Shl();
      toFloat();
      break;
    case "e4m3":
      if (part > 0) code.i32Const(8 * part).i32x4ShrU();
      emitFloatOfE4m3(code);
      break;
    case "s8":
      if (part < 3) code.i32Const(24 - 8 * part).i32x4Shl();
      code.i32Const(24).i32x4ShrS();
      break;
    case "u8":
      if (part > 0) code.i32Const(8 * part).i32x4ShrU();
      and(0xff);
  }
}

/** The exponent of a float, scaled by what the biases differ: subnormals come out right. 0x7f is NaN. */
function emitFloatOfE4m3(code: FunctionBuilder): void {
  const bits = code.local("v128");
  const magnitude = code.local("v128");
  const all = (value: number): FunctionBuilder => code.i32x4Const(value, value, value, value);
  code.localTee(bits);
  all(0x7f).v128And().localSet(magnitude);
  all(0x7fffffff);
  code.localGet(bits);
  all(0x80).v128And().i32Const(24).i32x4Shl();
  code.localGet(magnitude).i32Const(20).i32x4Shl().v128Or();
  code
    .f32Const(2 ** 120)
    .f32x4Splat()
    .f32x4Mul();
  code.localGet(magnitude);
  all(0x7f).i32x4Eq().v128Bitselect();
  code.free(bits, magnitude);
}
