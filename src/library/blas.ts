/**
 * Matrix products of the device's maker: NVIDIA's cuBLAS and cuBLASLt on a GPU (cuBLAS documentation,
 * "cublasGemmStridedBatchedEx", "cublasLtMatmul"), a kernel of Heddle's own on the emulated device.
 */
import { bug, HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import type { DeviceLibrary } from "../device/library-call.ts";
import type { Gpu } from "./gpu.ts";
import type { GpuProgram } from "./gpu-program.ts";
import { DATA_TYPES, VendorProducts, computeType, type ColumnMajor } from "./vendor-products.ts";
import { checkMatmul, columnMajor, type MatmulOptions, type Operand } from "./matmul-options.ts";

const Attribute = {
  transposeA: 3,
  transposeB: 4,
  epilogue: 7,
  biasPointer: 8,
  biasType: 26,
  batchCount: 5,
  batchOffset: 6,
} as const;
const Epilogue = { none: 1, relu: 2, bias: 4, gelu: 32 } as const;
/** What Heddle's own kernel calls the activations (libraries/blas). */
const OWN_ACTIVATIONS = { relu: 1, gelu: 2 } as const;
/** What NVIDIA recommends for Hopper. */
const WORKSPACE_BYTES = 32 * 1024 * 1024;
/** What C++ calls the dtypes, and the type of their sums. */
const CUDA_TYPES: Readonly<Partial<Record<Dtype, readonly [type: string, sum: string]>>> = {
  float32: ["float", "float"],
  float64: ["double", "double"],
  float16: ["__half", "float"],
  bfloat16: ["__nv_bfloat16", "float"],
  int8: ["signed char", "int"],
  int32: ["int", "int"],
};

/** How far it is from a row to the next and from a column to the next. */
interface Layout {
  readonly row: number;
  readonly column: number;
  readonly matrix: number;
}

/** A call of cuBLASLt on the product's stream. */
type LtCall = (name: string, kinds: string, values: readonly bigint[]) => void;

/** Something of cuBLASLt's that is to be destroyed after the product was put on its stream. */
interface MadeHandle {
  readonly destroy: string;
  readonly handle: bigint;
}

/** Matrix products on one device. Made by `openBlas`. */
export class Blas {
  readonly gpu: Gpu;
  /** The maker of the library that computes the products. */
  readonly maker: "NVIDIA" | "Heddle";
  readonly #cublas: DeviceLibrary | null;
  readonly #kernels: GpuProgram | null;
  readonly #products: VendorProducts | null;
  #workspace: number | null = null;

  /** @internal Use `openBlas`. */
  constructor(gpu: Gpu, cublas: DeviceLibrary | null, kernels: GpuProgram | null) {
    this.gpu = gpu;
    this.maker = cublas === null ? "Heddle" : "NVIDIA";
    this.#cublas = cublas;
    this.#products = cublas === null ? null : new VendorProducts(cublas);
    this.#kernels = kernels;
  }

  /**
   * Puts a product on a stream. Resolves when it is on the stream, not when it has run.
   * @throws HeddleError "bad-arguments" if types or sizes do not fit; "driver-error" with the library's status.
   */
  async matmul(options: MatmulOptions): Promise<void> {
    checkMatmul(options);
    if (this.#products === null) return (await this.#ours(options, "submit"))();
    if (options.bias !== undefined || options.activation !== undefined) this.#nvidiaLt(this.#products, options);
    else this.#nvidia(this.#products, options);
  }

  /**
   * @internal One product that is checked now, for measurements: as `Kernel.prepare`. What only cuBLASLt can do
   * is its work in either case.
   */
  async prepare(options: MatmulOptions, library: "cublas" | "cublasLt" = "cublas"): Promise<() => void> {
    checkMatmul(options);
    const products = this.#products;
    if (products === null) return this.#ours(options, "run");
    return library === "cublasLt" || options.bias !== undefined || options.activation !== undefined
      ? () => this.#nvidiaLt(products, options)
      : () => this.#nvidia(products, options);
  }

  /**
   * Frees the handles and the memory of NVIDIA's libraries. The code of Heddle's own products stays until the device is
   * closed.
   */
  close(): void {
    const { raw } = this.gpu;
    if (raw.fault !== null || this.#products === null) return;
    const end = (library: DeviceLibrary | null | undefined, name: string): void => {
      if (library != null) this.#products?.status(library, name, "h", [0], 0);
    };
    end(this.#cublas, "cublasDestroy_v2");
    if (this.#workspace !== null) {
      end(raw.library?.("cublasLt").library, "cublasLtDestroy");
      raw.free(this.#workspace);
    }
    this.#workspace = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Row by row is column by column of the transposed: C' = B' A'. */
  #nvidia(products: VendorProducts, o: MatmulOptions): void {
    const { first, second, c, rows, columns } = columnMajor(o);
    const placed = ({ array, ld, stride, transposed }: Operand): ColumnMajor => ({
      pointer: array.pointer,
      ld,
      stride,
      isTransposed: transposed,
    });
    products.put({
      first: placed(first),
      second: placed(second),
      result: placed(c),
      rows,
      columns,
      inner: o.k,
      batch: o.batch?.count ?? 1,
      dtype: o.a.dtype,
      resultDtype: o.c.dtype,
      tf32: o.tf32 ?? false,
      alpha: o.alpha ?? 1,
      beta: o.beta ?? 0,
      stream: o.stream?.id ?? 0,
    });
  }

  #nvidiaLt(products: VendorProducts, o: MatmulOptions): void {
    const found = this.gpu.raw.library?.("cublasLt");
    if (found?.library == null)
      throw new HeddleError(
        "unsupported",
        `products with bias or activation need cuBLASLt, ${found?.missing ?? "which this device has not"}`,
      );
    const { library } = found;
    const stream = o.stream?.id ?? 0;
    const made: MadeHandle[] = [];
    const call = (name: string, kinds: string, values: readonly bigint[]): void =>
      products.call(library, name, kinds, values, stream);
    try {
      const [product, layouts] = [this.#ltProduct(o, call, made), this.#ltLayouts(o, call, made)];
      const { first, second, c } = columnMajor(o);
      this.#workspace ??= this.gpu.raw.allocate(WORKSPACE_BYTES);
      const { alphaAt, betaAt } = products.writeFactors(o.c.dtype, o.alpha ?? 1, o.beta ?? 0);
      call("cublasLtMatmul", "hlaplplaplplapls", [
        0n,
        product,
        alphaAt,
        BigInt(first.array.pointer),
        layouts[0],
        BigInt(second.array.pointer),
        layouts[1],
        betaAt,
        BigInt(c.array.pointer),
        layouts[2],
        BigInt(c.array.pointer),
        layouts[2],
        0n,
        BigInt(this.#workspace),
        BigInt(WORKSPACE_BYTES),
        BigInt(stream),
      ]);
    } finally {
      for (const { destroy, handle } of made) products.status(library, destroy, "l", [handle], stream);
    }
  }

  /** cublasLt's description of the product: types, transpositions, bias and activation. */
  #ltProduct(o: MatmulOptions, call: LtCall, made: MadeHandle[]): bigint {
    const { first, second } = columnMajor(o);
    const product = this.#ltCreate("cublasLtMatmulDesc", "ii", call, made, [
      computeType(o.c.dtype, o.tf32 ?? false),
      o.c.dtype === "float64" ? 1 : 0,
    ]);
    const set = (attribute: number, value: number | bigint, bytes: 4 | 8 = 4): void =>
      this.#ltSet("cublasLtMatmulDesc", call, product, attribute, value, bytes);
    set(Attribute.transposeA, Number(first.transposed));
    set(Attribute.transposeB, Number(second.transposed));
    const activation = o.activation === undefined ? 0 : Epilogue[o.activation];
    set(Attribute.epilogue, activation | (o.bias === undefined ? 0 : Epilogue.bias) || Epilogue.none);
    if (o.bias !== undefined) {
      set(Attribute.biasPointer, this.gpu.raw.nativeAddress?.(o.bias.pointer) ?? o.bias.pointer, 8);
      set(Attribute.biasType, DATA_TYPES[o.c.dtype] as number);
    }
    return product;
  }

  /** How the three matrices lie in memory. */
  #ltLayouts(o: MatmulOptions, call: LtCall, made: MadeHandle[]): readonly [bigint, bigint, bigint] {
    const { first, second, c, rows, columns } = columnMajor(o);
    const layout = (dtype: Dtype, height: number, width: number, { ld, stride }: Operand): bigint => {
      const type = DATA_TYPES[dtype] as number;
      const handle = this.#ltCreate("cublasLtMatrixLayout", "illl", call, made, [type, height, width, ld]);
      if (o.batch !== undefined) {
        this.#ltSet("cublasLtMatrixLayout", call, handle, Attribute.batchCount, o.batch.count, 4);
        this.#ltSet("cublasLtMatrixLayout", call, handle, Attribute.batchOffset, stride, 8);
      }
      return handle;
    };
    const { dtype } = o.a;
    return [
      first.transposed ? layout(dtype, o.k, rows, first) : layout(dtype, rows, o.k, first),
      second.transposed ? layout(dtype, columns, o.k, second) : layout(dtype, o.k, columns, second),
      layout(o.c.dtype, rows, columns, c),
    ];
  }

  /** The memory that the library reads and writes. */
  get #words(): DataView {
    return (this.#products ?? bug("no library")).words;
  }

  #ltCreate(kind: string, kinds: string, call: LtCall, made: MadeHandle[], values: readonly number[]): bigint {
    call(`${kind}Create`, `a${kinds}`, [32n, ...values.map(BigInt)]);
    const handle = this.#words.getBigUint64(32, true);
    made.push({ destroy: `${kind}Destroy`, handle });
    return handle;
  }

  #ltSet(kind: string, call: LtCall, handle: bigint, attribute: number, value: number | bigint, bytes: 4 | 8): void {
    this.#words.setBigInt64(40, BigInt(value), true);
    call(`${kind}SetAttribute`, "lial", [handle, BigInt(attribute), 40n, BigInt(bytes)]);
  }

  /**
   * @param how "submit": the product is put on the device when the function is called; "run": it has run when that
   * returns.
   */
  async #ours(o: MatmulOptions, how: "submit" | "run"): Promise<() => void> {
    const [type, sum] = CUDA_TYPES[o.a.dtype] as readonly [string, string];
    const kernel = await (this.#kernels as GpuProgram).kernel(
      `gemm<${type}, ${sum}, ${(CUDA_TYPES[o.c.dtype] as readonly [string, string])[0]}>`,
    );
    const isRow = (o.order ?? "row") === "row";
    const layoutOf = (
      rows: number,
      columns: number,
      transposed: boolean,
      ld: number | undefined,
      stride: number | undefined,
    ): Layout => {
      // As it lies in memory, rows and columns change places where it is transposed.
      const alongRow = isRow !== transposed;
      const step = ld ?? (alongRow ? columns : rows);
      return { row: alongRow ? step : 1, column: alongRow ? 1 : step, matrix: stride ?? 0 };
    };
    const [a, b, c] = [
      layoutOf(o.m, o.k, o.transposeA ?? false, o.lda, o.batch?.strideA),
      layoutOf(o.k, o.n, o.transposeB ?? false, o.ldb, o.batch?.strideB),
      layoutOf(o.m, o.n, false, o.ldc, o.batch?.strideC),
    ];
    const activation = o.activation === undefined ? 0 : OWN_ACTIVATIONS[o.activation];
    const strides = (l: Layout): bigint[] => [l.row, l.column, l.matrix].map(BigInt);
    const config = {
      grid: [Math.ceil(o.n / 16), Math.ceil(o.m / 16), o.batch?.count ?? 1],
      block: [16, 16],
      ...(o.stream === undefined ? {} : { stream: o.stream.id }),
    } as const;
    const args = [
      o.m,
      o.n,
      o.k,
      o.alpha ?? 1,
      o.a,
      ...strides(a),
      o.b,
      ...strides(b),
      o.beta ?? 0,
      o.c,
      ...strides(c),
      o.bias ?? null,
      isRow ? 0 : 1,
      activation,
    ];
    if (how === "run") return kernel.prepare(config, args);
    const submit = kernel.configure(config);
    return () => submit(...args);
  }
}
