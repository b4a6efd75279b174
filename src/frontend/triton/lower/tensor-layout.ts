/**
 * Which products tensor cores make, with which instruction, and where the elements of their results are: mma.sync
 * m16n8k16 for 16-bit floats, m16n8k8 for tf32 (PTX ISA 8.5, 9.7.14.5).
 */
import type { IrType } from "../../../ir/model/ir.ts";
import { BF16, F16, F32 } from "../../../ir/model/types.ts";
import type { DotOp } from "../blocks/model.ts";
import { registerCount, type IndexBit, type Layout } from "./layout.ts";

/** More instructions of one product in a warp are done without tensor cores: nothing loops over them. */
const MAX_INSTRUCTIONS = 1024;
export const TILE_M = 16;
export const TILE_N = 8;

export interface Instruction {
  readonly name: string;
  readonly k: number;
  readonly bytes: number;
}

const INSTRUCTIONS = new Map<IrType, Instruction>([
  [F16, { name: "m16n8k16_f32_f16_f16_f32", k: 16, bytes: 2 }],
  [BF16, { name: "m16n8k16_f32_bf16_bf16_f32", k: 16, bytes: 2 }],
  [F32, { name: "m16n8k8_f32_tf32_tf32_f32", k: 8, bytes: 4 }],
]);

/** The instruction for a product; null: it is done without tensor cores. */
export function instructionFor({ operands: [a, b], precision, results }: DotOp): Instruction | null {
  const [m, k, n] = [a.type.shape[0] ?? 0, a.type.shape[1] ?? 0, b.type.shape[1] ?? 0];
  const found = INSTRUCTIONS.get(a.type.element);
  const sum = results[0]?.type.element;
  if (a.type.shape.length !== 2 || found === undefined || a.type.element !== b.type.element) return null;
  if ((sum !== F32 && sum !== F16) || (a.type.element === F32 && precision !== "tf32")) return null;
  if (m < TILE_M || n < TILE_N || k < found.k) return null;
  return found;
}

/** The layout of the result, or null where tensor cores cannot make it. */
export function tensorLayout(op: DotOp, numWarps: number, isInChain = false): Layout | null {
  const instruction = instructionFor(op);
  if (instruction === null) return null;
  const [a, b] = op.operands;
  const [m, k, n] = [...a.type.shape, b.type.shape[1]] as [number, number, number];
  const layout = resultLayout([m, n], numWarps, isInChain);
  const perWarp = registerCount(layout) / 4;
  return (perWarp * k) / instruction.k > MAX_INSTRUCTIONS ? null : layout;
}

const bitsFrom = (dim: number, from: number, size: number): IndexBit[] =>
  Array.from({ length: Math.log2(size) - from }, (_, i) => ({ dim, bit: from + i }));

/**
 * The accumulator's fragment: lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8. Warps take halves of the
 * longer side, so that a warp's part is nearly square and each element that it reads is used often. In a chain of
 * products they take rows: the result of one is an operand of the next in the threads that have it.
 */
function resultLayout(shape: readonly [number, number], numWarps: number, isInChain: boolean): Layout {
  const [rows, columns] = [bitsFrom(0, 4, shape[0]), bitsFrom(1, 3, shape[1])];
  const warps: (IndexBit | null)[] = [];
  for (let count = numWarps; count > 1; count /= 2) {
    const isTall = isInChain || TILE_M << rows.length >= TILE_N << columns.length;
    warps.push((isTall ? (rows.pop() ?? columns.pop()) : (columns.pop() ?? rows.pop())) ?? null);
  }
  const [row, column] = [(bit: number): IndexBit => ({ dim: 0, bit }), (bit: number): IndexBit => ({ dim: 1, bit })];
  return {
    shape,
    registers: [column(0), row(3), ...columns, ...rows],
    lanes: [column(1), column(2), row(0), row(1), row(2)],
    warps,
  };
}
