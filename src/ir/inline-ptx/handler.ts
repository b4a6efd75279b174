/** What the translators of PTX instructions share: modifiers, rounding, types (PTX ISA 8.5, chapter 9). */
import { constFloat } from "../model/build.ts";
import type { FloatType, IrValue } from "../model/ir.ts";
import type { PtxCall, PtxEmitter, PtxType } from "./emit.ts";
import { I32 } from "../model/types.ts";

export type PtxHandler = (e: PtxEmitter, c: PtxCall) => void;

export const has = (c: PtxCall, word: string): boolean => c.words.includes(word);

export function lastType(e: PtxEmitter, c: PtxCall): PtxType {
  return c.types[c.types.length - 1] ?? e.unsupported(c);
}

/** The directed rounding of the instruction, or null for to nearest. */
export function rounding(c: PtxCall): "rz" | "rm" | "rp" | null {
  return (["rz", "rm", "rp"] as const).find((word) => has(c, word)) ?? null;
}

export const suffix = (type: FloatType): string =>
  ({ half: "f16", bfloat: "bf16", float: "f32", double: "f64" })[type.format];

/** Applies `compute` to each element of the operands and writes the result. */
export function floatOperation(
  e: PtxEmitter,
  c: PtxCall,
  type: PtxType,
  count: number,
  compute: (args: IrValue[], ir: FloatType) => IrValue,
): void {
  const ir = type.ir as FloatType;
  const clamp = (value: IrValue): IrValue => {
    if (has(c, "sat")) return saturate(e, value, ir);
    if (has(c, "relu")) return e.call(`llvm.maximum.${suffix(ir)}`, ir, [value, constFloat(ir, 0)]);
    return value;
  };
  if (type.lanes === 1) {
    const args = Array.from({ length: count }, (_, i) => e.read(c, i + 1, ir));
    e.write(c, 0, clamp(compute(args, ir)));
    return;
  }
  const args = Array.from({ length: count }, (_, i) => e.unpack(e.read(c, i + 1, I32), ir));
  const low = clamp(
    compute(
      args.map((pair) => pair[0]),
      ir,
    ),
  );
  const high = clamp(
    compute(
      args.map((pair) => pair[1]),
      ir,
    ),
  );
  e.write(c, 0, e.pack(low, high));
}

/** To [0, 1], NaN to 0. */
export function saturate(e: PtxEmitter, value: IrValue, ir: FloatType): IrValue {
  const low = e.call(`llvm.maxnum.${suffix(ir)}`, ir, [value, constFloat(ir, 0)]);
  return e.call(`llvm.minnum.${suffix(ir)}`, ir, [low, constFloat(ir, 1)]);
}
