/**
 * The matrix products of libdevice/mma.cu, by name: `__heddle_mma_m16n8k16_f32_f16_f16_f32` and so on. The warp tier
 * does them as one operation of the warp, out of line (matrix-products.ts): kernels hold hundreds of them, and inlined
 * they grow past every limit.
 */
import { declareFunction } from "../../../ir/model/build-module.ts";
import type { IrFunction, IrModule } from "../../../ir/model/ir.ts";

/** What the elements of A or B are, and so how a 32-bit register of them is taken apart. */
export type MatrixElement = "f16" | "bf16" | "tf32" | "s8" | "u8" | "f64";

export interface MatrixShape {
  readonly a: MatrixElement;
  readonly b: MatrixElement;
  /** What the accumulators are: f16 ones lie two in a register. */
  readonly sum: "f32" | "f16" | "s32" | "f64";
  /** Registers of a row of A and of a column of B in each lane; a row of A is two of these rows. */
  readonly halves: 1 | 2;
  /** Sums of integers are clamped. */
  readonly saturates: boolean;
}

const LIBRARY = "__heddle_mma_";
/** Stands for a product in the warp tier's copy of a kernel; the rest is the library's name. */
const OPERATION = "llvm.nvvm.heddle.mma.";

const BITS: Readonly<Record<MatrixElement, number>> = { f16: 16, bf16: 16, tf32: 32, s8: 8, u8: 8, f64: 64 };

/** The function is a matrix product of the device library. */
export function isMatrixFunction(fn: IrFunction): boolean {
  return fn.name.startsWith(LIBRARY) && shapeOfName(fn.name.slice(LIBRARY.length)) !== null;
}

/** The operation that a call of such a function becomes. */
export function matrixOperation(module: IrModule, fn: IrFunction): IrFunction {
  return declareFunction(
    module,
    OPERATION + fn.name.slice(LIBRARY.length),
    fn.functionType.result,
    fn.functionType.params,
  );
}

/** What an operation's name says, or null for other names. */
export function matrixShapeOf(name: string): MatrixShape | null {
  return name.startsWith(OPERATION) ? shapeOfName(name.slice(OPERATION.length)) : null;
}

function shapeOfName(name: string): MatrixShape | null {
  if (name === "m8n8k4_f64_f64_f64_f64") return { a: "f64", b: "f64", sum: "f64", halves: 1, saturates: false };
  const match = /^m16n8k(\d+)_(f32|f16|s32)_(f16|bf16|tf32|s8|u8)_(f16|bf16|tf32|s8|u8)_\2(_sat)?$/.exec(name);
  if (match === null) return null;
  const [, depth, sum, a, b, saturates] = match as unknown as [
    string,
    string,
    MatrixShape["sum"],
    MatrixElement,
    MatrixElement,
    string | undefined,
  ];
  const halves = (Number(depth) * BITS[a]) / 128; // four lanes of 32 bits hold a half
  return halves === 1 || halves === 2 ? { a, b, sum, halves, saturates: saturates !== undefined } : null;
}
