/**
 * Two 16-bit floats in one 32-bit register (PTX ISA 8.5, 9.7.4 "Half Precision Floating-Point Instructions"). IR has
 * their elements one by one; where two of them become a word, what was computed alike of both is one instruction on
 * pairs.
 *
 *   or (zext lo), (shl (zext hi), 16)    with lo and hi the bits of floats
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { BinaryInstruction, FloatFormat, IrBlock, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import type { PtxFunction } from "./ptx-function.ts";

/** Chains of operations that are followed. */
const MAX_DEPTH = 8;

type Half = "half" | "bfloat";
interface Pair {
  readonly lo: IrValue;
  readonly hi: IrValue;
  readonly format: Half;
}

/**
 * Neighbouring floats that are stored together, as words of two; null where none of the words is computed as one, and
 * they need not be words.
 */
export function packedWords(
  f: PtxFunction,
  values: readonly IrValue[],
  block: IrBlock,
  mustBeWords: boolean,
): string[] | null {
  const format = values.length % 2 === 0 ? formatOf(values[0] as IrValue) : null;
  if (format === null || values.some((value) => formatOf(value) !== format)) return null;
  const pairs = Array.from({ length: values.length / 2 }, (_, n): Pair => ({
    lo: values[2 * n] as IrValue,
    hi: values[2 * n + 1] as IrValue,
    format,
  }));
  const words = pairs.map((pair) => packedOperation(f, pair, block, 0));
  return !mustBeWords && words.every((word) => word === null)
    ? null
    : words.map((word, n) => word ?? joined(f, pairs[n] as Pair));
}

/** Whether `i` joins two floats; their word is in its register then. */
export function emitPair(f: PtxFunction, i: BinaryInstruction): boolean {
  const pair = pairOf(i);
  if (pair === null) return false;
  const packed = packedOperation(f, pair, i.block, 0);
  f.alias(i, packed ?? joined(f, pair));
  return true;
}

function joined(f: PtxFunction, { lo, hi }: Pair): string {
  return f.make("r", `mov.b32 $d, {${f.inRegister(f.operand(lo), "h")}, ${f.inRegister(f.operand(hi), "h")}}`);
}

function pairOf(i: BinaryInstruction): Pair | null {
  if (i.operator !== "or" || i.type.kind !== "int" || i.type.bits !== 32) return null;
  for (const [low, high] of [
    [i.lhs, i.rhs],
    [i.rhs, i.lhs],
  ] as const) {
    if (
      high.kind !== "instruction" ||
      high.op !== "binary" ||
      high.operator !== "shl" ||
      high.rhs.kind !== "const-int" ||
      high.rhs.value !== 16n
    )
      continue;
    const [lo, hi] = [floatOf(low), floatOf(high.lhs)];
    if (lo === null || hi === null) continue;
    const [a, b] = [formatOf(lo), formatOf(hi)];
    if (a !== null && a === b) return { lo, hi, format: a };
  }
  return null;
}

/** The float whose bits are zero-extended. */
function floatOf(value: IrValue): IrValue | null {
  if (value.kind !== "instruction" || value.op !== "cast" || value.operator !== "zext") return null;
  const { operand } = value;
  return operand.kind === "instruction" &&
    operand.op === "cast" &&
    operand.operator === "bitcast" &&
    formatOf(operand.operand) !== null
    ? operand.operand
    : null;
}

function formatOf(value: IrValue): Half | null {
  const format: FloatFormat | null = value.type.kind === "float" ? value.type.format : null;
  return format === "half" || format === "bfloat" ? format : null;
}

/**
 * One instruction for both elements, or null where they were not made alike. Of what is in the block alone: elsewhere
 * its operands may be in the registers of other values by now (phis of a loop that has ended).
 */
function packedOperation(f: PtxFunction, pair: Pair, block: IrBlock, depth: number): string | null {
  const { lo, hi, format } = pair;
  const type = format === "half" ? "f16x2" : "bf16x2";
  if (
    depth > MAX_DEPTH ||
    lo.kind !== "instruction" ||
    hi.kind !== "instruction" ||
    lo === hi ||
    lo.block !== block ||
    hi.block !== block
  )
    return null;
  const operands = (values: readonly (readonly [IrValue, IrValue])[]): string[] =>
    values.map(([a, b]) => packedOperand(f, { lo: a, hi: b, format }, block, depth + 1));
  if (
    lo.op === "binary" &&
    hi.op === "binary" &&
    lo.operator === hi.operator &&
    (lo.operator === "fadd" || lo.operator === "fsub" || lo.operator === "fmul")
  ) {
    if (format === "bfloat" && f.program.architecture < 90) return null;
    const [a, b] = operands([
      [lo.lhs, hi.lhs],
      [lo.rhs, hi.rhs],
    ]);
    return f.make("r", `${lo.operator.slice(1)}.rn.${type} $d, ${a as string}, ${b as string}`);
  }
  const [first, second] = [fusedArguments(lo), fusedArguments(hi)];
  if (first === null || second === null || (format === "bfloat" && f.program.architecture < 80)) return null;
  return f.make(
    "r",
    `fma.rn.${type} $d, ${operands(first.map((value, n) => [value, second[n] as IrValue])).join(", ")}`,
  );
}

function packedOperand(f: PtxFunction, pair: Pair, block: IrBlock, depth: number): string {
  const [low, high] = [elementOf(pair.lo), elementOf(pair.hi)];
  if (low !== null && high !== null && low.word === high.word && low.shift === 0 && high.shift === 16)
    return f.inRegister(f.operand(low.word), "r");
  return packedOperation(f, pair, block, depth) ?? joined(f, pair);
}

function fusedArguments(i: IrInstruction): readonly IrValue[] | null {
  if (i.op !== "call") return null;
  const { name, element, isVector } = calledIntrinsic(i) ?? {};
  const isFused = name === "llvm.fma" || name === "llvm.fmuladd";
  return isFused && !isVector && (element === "f16" || element === "bf16") ? i.args : null;
}

/** The half of a word that the float was taken from. */
function elementOf(value: IrValue): { readonly word: IrValue; readonly shift: 0 | 16 } | null {
  if (value.kind !== "instruction" || value.op !== "cast" || value.operator !== "bitcast") return null;
  const bits = value.operand;
  if (
    bits.kind !== "instruction" ||
    bits.op !== "cast" ||
    bits.operator !== "trunc" ||
    bits.operand.type.kind !== "int" ||
    bits.operand.type.bits !== 32
  )
    return null;
  const from = bits.operand;
  if (
    from.kind === "instruction" &&
    from.op === "binary" &&
    from.operator === "lshr" &&
    from.rhs.kind === "const-int" &&
    from.rhs.value === 16n
  )
    return { word: from.lhs, shift: 16 };
  return { word: from, shift: 0 };
}
