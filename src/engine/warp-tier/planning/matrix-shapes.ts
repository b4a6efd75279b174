/**
 * The matrix products of libdevice/mma.cu, and those of Volta of mma-forms.cu, by their names:
 * `__heddle_mma_m16n8k16_f32_f16_f16_f32`. The warp tier does them as one operation of the warp, out of line
 * (matrix-products.ts): kernels hold hundreds of them, and inlined they grow past every limit.
 */
import { declareFunction } from "../../../ir/model/build-module.ts";
import type { IrFunction, IrModule } from "../../../ir/model/ir.ts";

/** What the elements of A or B are, and so how a 32-bit register of them is taken apart. */
export type MatrixElement = "f16" | "bf16" | "tf32" | "s8" | "u8" | "f64";

export interface MatrixShape {
  readonly kind: "rows";
  readonly a: MatrixElement;
  readonly b: MatrixElement;
  /** What the accumulators are: f16 ones lie two in a register. */
  readonly sum: "f32" | "f16" | "s32" | "f64";
  /** Registers of a row of A and of a column of B in each lane; a row of A is two of these rows. */
  readonly halves: 1 | 2;
  /** Sums of integers are clamped. */
  readonly saturates: boolean;
}

/** Volta's product of halves, one for each quad pair. */
export interface VoltaShape {
  readonly kind: "volta";
  readonly sum: "f32" | "f16";
  /** The order of A and of B: row-major or column-major. */
  readonly rowA: boolean;
  readonly rowB: boolean;
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
export function matrixShapeOf(name: string): MatrixShape | VoltaShape | null {
  return name.startsWith(OPERATION) ? shapeOfName(name.slice(OPERATION.length)) : null;
}

/** Registers of A and B together; the accumulators come behind them. */
export function factorRegisters(shape: MatrixShape | VoltaShape): number {
  if (shape.kind === "volta") return 4;
  return shape.sum === "f64" ? 2 : 3 * shape.halves;
}

function shapeOfName(name: string): MatrixShape | VoltaShape | null {
  if (name === "m8n8k4_f64_f64_f64_f64")
    return { kind: "rows", a: "f64", b: "f64", sum: "f64", halves: 1, saturates: false };
  const volta = /^m8n8k4_(f32|f16)_f16_f16_\1_(row|col)_(row|col)$/.exec(name);
  if (volta !== null)
    return { kind: "volta", sum: volta[1] as "f32" | "f16", rowA: volta[2] === "row", rowB: volta[3] === "row" };
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
  return halves === 1 || halves === 2 ? { kind: "rows", a, b, sum, halves, saturates: saturates !== undefined } : null;
}
