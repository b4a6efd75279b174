/** Matrix products by cuBLAS, put on a stream at once (cuBLAS documentation, "cublasGemmStridedBatchedEx"). */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import type { DevicePointer } from "../device/device.ts";
import { HostWords, putArguments, type DeviceLibrary } from "../device/library-call.ts";

/** cudaDataType_t */
export const DATA_TYPES: Readonly<Partial<Record<Dtype, number>>> = {
  float32: 0,
  float64: 1,
  float16: 2,
  int8: 3,
  int32: 10,
  bfloat16: 14,
};
const Compute = { float: 68, double: 70, int: 72, tf32: 77 } as const;
const GEMM_DEFAULT = -1;

/** Where alpha and beta are, in the memory that the library reads. */
const ALPHA_AT = 8;
const BETA_AT = 16;
/** Where the arguments of a call are; what blas.ts hands over lies before. */
const ARGUMENTS_AT = 64;

/** cublasComputeType_t of a result. */
export function computeType(result: Dtype, tf32: boolean): number {
  if (result === "float64") return Compute.double;
  if (result === "int32") return Compute.int;
  return tf32 ? Compute.tf32 : Compute.float;
}

/** A matrix that lies column by column, and those of a batch at a distance. All in elements. */
export interface ColumnMajor {
  readonly pointer: DevicePointer;
  /** From a column to the next. */
  readonly ld: number;
  readonly stride: number;
  /** Its transpose is a factor. */
  readonly isTransposed: boolean;
}

export interface ColumnMajorProduct {
  readonly first: ColumnMajor;
  readonly second: ColumnMajor;
  readonly result: Omit<ColumnMajor, "isTransposed">;
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  readonly dtype: Dtype;
  readonly resultDtype: Dtype;
  readonly tf32: boolean;
  readonly alpha: number;
  readonly beta: number;
  readonly stream: number;
}

let owners = 0x4000_0000;

/** Products by one handle of cuBLAS. */
export class VendorProducts {
  /** Distinguishes the handles of this object from those of others. */
  readonly owner: number = owners++;
  readonly host: HostWords = new HostWords(new ArrayBuffer(512));
  readonly words: DataView = new DataView(this.host.buffer);
  readonly #library: DeviceLibrary;
  /** Of the last product. */
  #stream = -1;

  constructor(library: DeviceLibrary) {
    this.#library = library;
  }

  /** result = alpha · first · second + beta · result. @throws HeddleError "driver-error" with the library's status */
  put(product: ColumnMajorProduct): void {
    const { first, second, result, rows, columns, inner, batch, dtype, resultDtype, tf32, stream } = product;
    if (stream !== this.#stream) this.call(this.#library, "cublasSetStream_v2", "hs", [0, stream], stream);
    this.#stream = stream;
    this.writeFactors(resultDtype, product.alpha, product.beta);
    const type = DATA_TYPES[dtype] as number;
    const numbers = [
      0,
      Number(first.isTransposed),
      Number(second.isTransposed),
      rows,
      columns,
      inner,
      ALPHA_AT,
      first.pointer,
      type,
      first.ld,
      first.stride,
      second.pointer,
      type,
      second.ld,
      second.stride,
      BETA_AT,
      result.pointer,
      DATA_TYPES[resultDtype] as number,
      result.ld,
      result.stride,
      batch,
      computeType(resultDtype, tf32),
      GEMM_DEFAULT,
    ];
    this.call(this.#library, "cublasGemmStridedBatchedEx", "hiiiiiapiilpiilapiiliii", numbers, stream);
  }

  /** Writes alpha and beta where the library is to read them, in the type of the sums. */
  writeFactors(result: Dtype, alpha: number, beta: number): { readonly alphaAt: bigint; readonly betaAt: bigint } {
    for (const [at, value] of [
      [ALPHA_AT, alpha],
      [BETA_AT, beta],
    ] as const) {
      if (result === "float64") this.words.setFloat64(at, value, true);
      else if (result === "int32") this.words.setInt32(at, value, true);
      else this.words.setFloat32(at, value, true);
    }
    return { alphaAt: BigInt(ALPHA_AT), betaAt: BigInt(BETA_AT) };
  }

  call(
    library: DeviceLibrary,
    name: string,
    kinds: string,
    values: readonly (number | bigint)[],
    stream: number,
  ): void {
    const status = this.status(library, name, kinds, values, stream);
    if (status !== 0)
      throw new HeddleError(
        "driver-error",
        status === null ? `the library has no ${name}` : `${name} failed with status ${status}`,
        { notes: ["cuBLAS documentation, cublasStatus_t"] },
      );
  }
  /** As `call`, for who takes any status. Null: the library has no such function. */
  status(
    library: DeviceLibrary,
    name: string,
    kinds: string,
    values: readonly (number | bigint)[],
    stream: number,
  ): number | null {
    const call = library.bind(name, kinds);
    if (call === null) return null;
    putArguments(this.host, ARGUMENTS_AT, kinds, values);
    return call(this.owner, this.host, ARGUMENTS_AT, stream);
  }
}
