/** What a matrix product is asked for with, and whether it can be done. */
import { HeddleError } from "../base/diagnostics.ts";
import { dtypeBytes, type Dtype } from "../base/dtypes.ts";
import { checkOptions, describeValue, type OptionNames } from "../base/options.ts";
import { DeviceArray } from "./device-array.ts";
import type { GpuStream } from "./gpu-stream.ts";

/** C = activation(alpha op(A) op(B) + beta C + bias): op(A) has m rows and k columns, op(B) k and n, C m and n. */
export interface MatmulOptions {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: DeviceArray;
  /** Has the dtype of `a`. */
  readonly b: DeviceArray;
  /** float32 for float32, float64 for float64; the same or float32 for float16 and bfloat16; int32 for int8. */
  readonly c: DeviceArray;
  /** Default 1. */
  readonly alpha?: number;
  /** Default 0: the old content of C is not read. */
  readonly beta?: number;
  /** op(A) is A transposed: A lies in memory with k rows and m columns. Default false. */
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  /** Elements of a row lie next to each other ("row", the default), or those of a column, as in BLAS. */
  readonly order?: "row" | "column";
  /** Elements from one row (or column) to the next; default: none between them. */
  readonly lda?: number;
  readonly ldb?: number;
  readonly ldc?: number;
  /** Several products: their matrices lie this many elements apart. 0 means that all products share the matrix. */
  readonly batch?: {
    readonly count: number;
    readonly strideA: number;
    readonly strideB: number;
    readonly strideC: number;
  };
  /** Is added to each row ("row": n elements) or column ("column": m elements) of the result; has the dtype of `c`. */
  readonly bias?: DeviceArray;
  /** "gelu" in its tanh form. Default none. */
  readonly activation?: "relu" | "gelu";
  /** float32 with the tensor cores' shorter mantissa (TF32). Default false. */
  readonly tf32?: boolean;
  readonly stream?: GpuStream;
}

export interface Operand {
  readonly array: DeviceArray;
  readonly transposed: boolean;
  readonly ld: number;
  readonly stride: number;
}

/** The product as BLAS has it, whose matrices lie column by column. */
export function columnMajor(o: MatmulOptions): {
  first: Operand;
  second: Operand;
  c: Operand;
  rows: number;
  columns: number;
} {
  const isRow = (o.order ?? "row") === "row";
  const { transposeA = false, transposeB = false } = o;
  const lead = (rows: number, columns: number, transposed: boolean): number => (isRow !== transposed ? columns : rows);
  const a = {
    array: o.a,
    transposed: transposeA,
    ld: o.lda ?? lead(o.m, o.k, transposeA),
    stride: o.batch?.strideA ?? 0,
  };
  const b = {
    array: o.b,
    transposed: transposeB,
    ld: o.ldb ?? lead(o.k, o.n, transposeB),
    stride: o.batch?.strideB ?? 0,
  };
  const c = { array: o.c, transposed: false, ld: o.ldc ?? lead(o.m, o.n, false), stride: o.batch?.strideC ?? 0 };
  return isRow
    ? { first: b, second: a, c, rows: o.n, columns: o.m }
    : { first: a, second: b, c, rows: o.m, columns: o.n };
}

const RESULTS: Readonly<Partial<Record<Dtype, readonly Dtype[]>>> = {
  float32: ["float32"],
  float64: ["float64"],
  float16: ["float16", "float32"],
  bfloat16: ["bfloat16", "float32"],
  int8: ["int32"],
};

const NAMES: OptionNames<MatmulOptions> = {
  m: true,
  n: true,
  k: true,
  a: true,
  b: true,
  c: true,
  alpha: true,
  beta: true,
  transposeA: true,
  transposeB: true,
  order: true,
  lda: true,
  ldb: true,
  ldc: true,
  batch: true,
  bias: true,
  activation: true,
  tf32: true,
  stream: true,
};

/** @throws HeddleError "bad-arguments" if types or sizes do not fit. */
export function checkMatmul(o: MatmulOptions): void {
  checkOptions<MatmulOptions>("matmul", o, NAMES, { example: "blas.matmul({ m, n, k, a, b, c })" });
  const fail = (message: string): never => {
    throw new HeddleError("bad-arguments", `matmul: ${message}`);
  };
  for (const name of ["a", "b", "c"] as const)
    if (!(o[name] instanceof DeviceArray))
      fail(`${name} must be an array on the device (device.array), not ${describeValue(o[name])}`);
  for (const name of ["m", "n", "k"] as const)
    if (!Number.isInteger(o[name]) || o[name] < 1) fail(`${name} must be a whole number above 0, not ${o[name]}`);
  if (o.a.dtype !== o.b.dtype) fail(`a is of ${o.a.dtype} and b of ${o.b.dtype}`);
  if (!(RESULTS[o.a.dtype]?.includes(o.c.dtype) ?? false))
    fail(`a result of ${o.c.dtype} cannot be made of ${o.a.dtype}`);
  if ((o.bias !== undefined || o.activation !== undefined) && (o.c.dtype === "int32" || o.c.dtype === "float64"))
    fail(`a result of ${o.c.dtype} takes no bias and no activation`);
  if (o.bias !== undefined && o.bias.dtype !== o.c.dtype)
    fail(`the bias is of ${o.bias.dtype}, the result of ${o.c.dtype}`);
  const isRow = (o.order ?? "row") === "row";
  const reach = (
    what: string,
    array: DeviceArray,
    rows: number,
    columns: number,
    ld: number | undefined,
    stride: number,
  ): void => {
    const [lines, length] = isRow ? [rows, columns] : [columns, rows];
    const step = ld ?? length;
    if (!Number.isInteger(step) || step < length)
      fail(`ld${what} is ${step}, a ${isRow ? "row" : "column"} has ${length} elements`);
    const needed = stride * ((o.batch?.count ?? 1) - 1) + step * (lines - 1) + length;
    if (needed > array.length)
      fail(
        `${what} has ${array.length} elements, the product reaches ${needed} ` +
          `(${needed * dtypeBytes(array.dtype)} bytes)`,
      );
    if (array.freed) fail(`${what} was freed`);
  };
  const [am, ak] = o.transposeA === true ? [o.k, o.m] : [o.m, o.k];
  const [bk, bn] = o.transposeB === true ? [o.n, o.k] : [o.k, o.n];
  reach("a", o.a, am, ak, o.lda, o.batch?.strideA ?? 0);
  reach("b", o.b, bk, bn, o.ldb, o.batch?.strideB ?? 0);
  reach("c", o.c, o.m, o.n, o.ldc, o.batch?.strideC ?? 0);
  const biasLength = isRow ? o.n : o.m;
  if (o.bias !== undefined && o.bias.length < biasLength)
    fail(`the bias has ${o.bias.length} elements, ${biasLength} are needed`);
}
