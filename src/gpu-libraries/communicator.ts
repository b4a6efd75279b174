/** Collective operations over the devices of one process (NCCL documentation, "Collective Operations"). */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import { checkOptions } from "../base/options.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import type { GpuProgram } from "../library/gpu-program.ts";
import type { Heddle } from "../library/heddle.ts";
import { requireArray } from "./arrays.ts";

/** How elements of all devices become one. "mean" is for floating-point types. */
export type Reduction = "sum" | "product" | "minimum" | "maximum" | "mean";

/** Options of `allReduce` and `reduceScatter`. */
export interface ReduceOptions {
  /** Default "sum". */
  readonly operation?: Reduction;
}

/** Options of `broadcast`. */
export interface BroadcastOptions {
  /** The number of the device that sends, from 0; default 0. */
  readonly root?: number;
}

/** What C++ calls the dtypes, and the type of their sums. */
const TYPES: Readonly<Partial<Record<Dtype, readonly [type: string, sum: string]>>> = {
  float32: ["float", "float"],
  float64: ["double", "double"],
  float16: ["__half", "float"],
  bfloat16: ["__nv_bfloat16", "float"],
  int32: ["int", "int"],
  uint32: ["unsigned int", "unsigned int"],
};
const COMBINED: Readonly<Record<Reduction, string>> = {
  sum: "a + b",
  mean: "a + b",
  product: "a * b",
  minimum: "b < a ? b : a",
  maximum: "b > a ? b : a",
};
const BLOCK = 256;

/**
 * Collective operations on arrays, one on each device. Made by `communicator`. The arrays of a call have one dtype and
 * length. Elements are combined in the order of the devices, so that a call gives the same result every time: half
 * precision and bfloat16 are summed in float32 and rounded once. A call waits for what was launched before it.
 */
export class Communicator {
  readonly #devices: readonly Gpu[];
  readonly #compile: Heddle["compile"];
  readonly #programs = new Map<string, Promise<GpuProgram>>();

  /** @internal Use `communicator`. */
  constructor(devices: readonly Gpu[], compile: Heddle["compile"]) {
    if (!Array.isArray(devices) || devices.length === 0)
      throw new HeddleError("bad-arguments", "a communicator needs at least one device");
    if (new Set(devices.map(({ raw }) => raw)).size !== devices.length)
      throw new HeddleError("bad-arguments", "each device of a communicator must be another one");
    this.#devices = devices;
    this.#compile = compile;
  }

  /** Devices. */
  get size(): number {
    return this.#devices.length;
  }

  /**
   * Combines element i of all arrays, and writes the result to all of them.
   *
   *     await communicator([d0, d1]).allReduce([x0, x1]); // both have x0 + x1
   *
   * @throws HeddleError "bad-arguments" if dtypes, lengths or devices do not fit.
   */
  async allReduce(arrays: readonly DeviceArray[], options: ReduceOptions = {}): Promise<void> {
    const result = await this.#reduced("allReduce", arrays, options);
    for (const array of arrays) await copyInto(array, result);
  }

  /**
   * Combines element i of all arrays; device d gets the d-th part of the result in `parts[d]`.
   * @param parts arrays of length / devices elements
   * @throws HeddleError "bad-arguments" if dtypes, lengths or devices do not fit.
   */
  async reduceScatter(
    arrays: readonly DeviceArray[],
    parts: readonly DeviceArray[],
    options: ReduceOptions = {},
  ): Promise<void> {
    const length = this.#checked("reduceScatter", arrays) / this.size;
    if (!Number.isInteger(length))
      throw new HeddleError("bad-arguments", `reduceScatter: the length must be a multiple of ${this.size} devices`);
    this.#checkAll("parts of reduceScatter", parts, { length, dtype: (arrays[0] as DeviceArray).dtype });
    const result = await this.#reduced("reduceScatter", arrays, options);
    const bytes = result.byteLength / this.size;
    for (const [d, part] of parts.entries()) await copyInto(part, result.subarray(d * bytes, (d + 1) * bytes));
  }

  /**
   * Copies the root's array to all devices.
   * @throws HeddleError "bad-arguments" if dtypes, lengths or devices do not fit.
   */
  async broadcast(arrays: readonly DeviceArray[], options: BroadcastOptions = {}): Promise<void> {
    checkOptions<BroadcastOptions>("broadcast", options, { root: true });
    this.#checked("broadcast", arrays);
    const { root = 0 } = options;
    const source = arrays[root];
    if (source === undefined) throw new HeddleError("bad-arguments", `broadcast: there is no device ${root}`);
    const bytes = await bytesOf(source);
    for (const array of arrays) if (array !== source) await copyInto(array, bytes);
  }

  /**
   * Writes the arrays of all devices, one after the other, to each of `results`.
   * @param results arrays of devices × length elements
   * @throws HeddleError "bad-arguments" if dtypes, lengths or devices do not fit.
   */
  async allGather(arrays: readonly DeviceArray[], results: readonly DeviceArray[]): Promise<void> {
    const length = this.#checked("allGather", arrays);
    const { dtype, byteLength } = arrays[0] as DeviceArray;
    this.#checkAll("results of allGather", results, { length: length * this.size, dtype });
    const all = new Uint8Array(byteLength * this.size);
    for (const [d, array] of arrays.entries()) all.set(await bytesOf(array), d * byteLength);
    for (const result of results) await copyInto(result, all);
  }

  /** @returns their length */
  #checked(what: string, arrays: readonly DeviceArray[]): number {
    const first = Array.isArray(arrays) ? (arrays[0] as DeviceArray | undefined) : undefined;
    if (!(first instanceof DeviceArray))
      throw new HeddleError("bad-arguments", `${what} takes a list of arrays, one on each device`);
    this.#checkAll(`arrays of ${what}`, arrays, { length: first.length, dtype: first.dtype });
    return first.length;
  }

  #checkAll(what: string, arrays: readonly DeviceArray[], like: { readonly length: number; dtype: Dtype }): void {
    if (!Array.isArray(arrays) || arrays.length !== this.size)
      throw new HeddleError("bad-arguments", `the ${what} must be ${this.size}, one on each device`);
    for (const [d, array] of (arrays as readonly DeviceArray[]).entries())
      requireArray(`array ${d} of the ${what}`, this.#devices[d] as Gpu, array, like);
  }

  /** The combined elements, by a kernel on the first device, where all arrays are gathered. */
  async #reduced(what: string, arrays: readonly DeviceArray[], options: ReduceOptions): Promise<Uint8Array> {
    checkOptions<ReduceOptions>(what, options, { operation: true }, { meant: { op: "operation" } });
    const { operation = "sum" } = options;
    const length = this.#checked(what, arrays);
    const { dtype, byteLength } = arrays[0] as DeviceArray;
    if (!Object.hasOwn(COMBINED, operation))
      throw new HeddleError("bad-arguments", `${what}: the operation must be ${Object.keys(COMBINED).join(", ")}`);
    if (TYPES[dtype] === undefined || (operation === "mean" && /int/.test(dtype)))
      throw new HeddleError("bad-arguments", `${what} has no ${operation} of ${dtype}`);
    if (length === 0) return new Uint8Array(0);
    const first = this.#devices[0] as Gpu;
    using all = first.array(length * this.size, dtype);
    for (const [d, array] of arrays.entries()) first.raw.write(all.pointer + d * byteLength, await bytesOf(array));
    using result = first.array(length, dtype);
    const combine = await (await this.#program(dtype, operation)).kernel("combine");
    await combine.launch({ grid: Math.ceil(length / BLOCK), block: BLOCK }, all, result, length, this.size);
    return await bytesOf(result);
  }

  #program(dtype: Dtype, operation: Reduction): Promise<GpuProgram> {
    const key = `${dtype} ${operation}`;
    let program = this.#programs.get(key);
    if (program === undefined) {
      program = this.#compile(combineSource(dtype, operation), { device: this.#devices[0] as Gpu });
      this.#programs.set(key, program);
      program.catch(() => void this.#programs.delete(key));
    }
    return program;
  }
}

function combineSource(dtype: Dtype, operation: Reduction): string {
  const [type, sum] = TYPES[dtype] as readonly [string, string];
  return `
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef ${type} T;
typedef ${sum} Sum;
extern "C" __global__ void combine(const T* all, T* result, int length, int devices) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  Sum a = (Sum)all[i];
  for (int d = 1; d < devices; d++) {
    Sum b = (Sum)all[(size_t)d * length + i];
    a = ${COMBINED[operation]};
  }
  result[i] = (T)(${operation === "mean" ? "a / (Sum)devices" : "a"});
}
`;
}

async function bytesOf(array: DeviceArray): Promise<Uint8Array> {
  const bytes = new Uint8Array(array.byteLength);
  await array.device.synchronize();
  array.device.read(array.pointer, bytes);
  return bytes;
}

async function copyInto(array: DeviceArray, bytes: Uint8Array): Promise<void> {
  await array.device.synchronize();
  array.device.write(array.pointer, bytes);
}
