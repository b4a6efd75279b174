/** Collective operations over the devices of one or several processes (NCCL documentation, "Collective Operations"). */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import { checkOptions } from "../base/options.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import type { GpuProgram } from "../library/gpu-program.ts";
import type { Heddle } from "../library/heddle.ts";
import { requireArray } from "./arrays.ts";
import type { Peers } from "./peers.ts";

/** How elements of all devices become one. "mean" is for floating-point types. */
export type Reduction = "sum" | "product" | "minimum" | "maximum" | "mean";

/** Options of `allReduce` and `reduceScatter`. */
export interface ReduceOptions {
  /** Default "sum". */
  readonly operation?: Reduction;
}

/** Options of `broadcast`. */
export interface BroadcastOptions {
  /** The number of the device that sends, from 0, over all processes; default 0. */
  readonly root?: number;
}

/** What the processes of a call must agree about. */
interface CallOfProcess {
  readonly what: string;
  readonly dtype: Dtype;
  readonly length: number;
  readonly devices: number;
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
 *
 * Over several processes each gives the arrays of its own devices. The devices count from process 0's first one. All
 * processes make the same calls in the same order; a call waits for the others.
 */
export class Communicator {
  readonly #devices: readonly Gpu[];
  readonly #compile: Heddle["compile"];
  readonly #programs = new Map<string, Promise<GpuProgram>>();

  readonly #peers: Peers | null;
  /** Of all processes, as the last call has found it. */
  #counts: readonly number[];

  /** @internal Use `communicator`. @param peers null: there is one process */
  constructor(devices: readonly Gpu[], compile: Heddle["compile"], peers: Peers | null = null) {
    if (!Array.isArray(devices) || devices.length === 0)
      throw new HeddleError("bad-arguments", "a communicator needs at least one device");
    if (new Set(devices.map(({ raw }) => raw)).size !== devices.length)
      throw new HeddleError("bad-arguments", "each device of a communicator must be another one");
    this.#devices = devices;
    this.#compile = compile;
    this.#peers = peers;
    this.#counts = [devices.length];
  }

  /** Devices of this process. */
  get size(): number {
    return this.#devices.length;
  }

  /** This process takes no more part: calls of other processes that wait for it fail. */
  close(): void {
    this.#peers?.close();
  }

  [Symbol.dispose](): void {
    this.close();
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
    const whole = this.#checked("reduceScatter", arrays);
    const result = await this.#reduced("reduceScatter", arrays, options, (devices) => {
      if (whole % devices !== 0)
        throw new HeddleError("bad-arguments", `reduceScatter: the length must be a multiple of ${devices} devices`);
      const { dtype } = arrays[0] as DeviceArray;
      this.#checkAll("parts of reduceScatter", parts, { length: whole / devices, dtype });
    });
    const bytes = result.byteLength / this.#total;
    for (const [d, part] of parts.entries()) {
      const at = (this.#before + d) * bytes;
      await copyInto(part, result.subarray(at, at + bytes));
    }
  }

  /**
   * Copies the root's array to all devices.
   * @throws HeddleError "bad-arguments" if dtypes, lengths or devices do not fit.
   */
  async broadcast(arrays: readonly DeviceArray[], options: BroadcastOptions = {}): Promise<void> {
    checkOptions<BroadcastOptions>("broadcast", options, { root: true });
    const length = this.#checked("broadcast", arrays);
    const { root = 0 } = options;
    const { dtype, byteLength } = arrays[0] as DeviceArray;
    await this.#agree({ what: `broadcast of device ${root}`, dtype, length, devices: this.size });
    if (!Number.isInteger(root) || root < 0 || root >= this.#total)
      throw new HeddleError("bad-arguments", `broadcast: there is no device ${root}`);
    const source = arrays[root - this.#before];
    const own = source === undefined ? new Uint8Array(0) : await bytesOf(source);
    const bytes = (await this.#exchange(own)).find((part) => part.length === byteLength) ?? own;
    for (const array of arrays) if (array !== source) await copyInto(array, bytes);
  }

  /**
   * Writes the arrays of all devices, one after the other, to each of `results`.
   * @param results arrays of devices × length elements
   * @throws HeddleError "bad-arguments" if dtypes, lengths or devices do not fit.
   */
  async allGather(arrays: readonly DeviceArray[], results: readonly DeviceArray[]): Promise<void> {
    const length = this.#checked("allGather", arrays);
    const { dtype } = arrays[0] as DeviceArray;
    await this.#agree({ what: "allGather", dtype, length, devices: this.size });
    this.#checkAll("results of allGather", results, { length: length * this.#total, dtype });
    const all = await this.#gathered(arrays);
    for (const result of results) await copyInto(result, all);
  }

  /** Devices of all processes. */
  get #total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Devices of the processes before this one. */
  get #before(): number {
    return this.#counts.slice(0, this.#peers?.rank ?? 0).reduce((sum, count) => sum + count, 0);
  }

  async #exchange(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    return this.#peers === null ? [bytes] : await this.#peers.exchange(bytes);
  }

  /** All processes make the same call. */
  async #agree(own: CallOfProcess): Promise<void> {
    const texts = await this.#exchange(new TextEncoder().encode(JSON.stringify(own)));
    const calls = texts.map((text) => JSON.parse(new TextDecoder().decode(text)) as CallOfProcess);
    for (const [rank, { what, dtype, length }] of calls.entries())
      if (what !== own.what || dtype !== own.dtype || length !== own.length)
        throw new HeddleError(
          "bad-arguments",
          `the processes disagree: ${what} of ${length} ${dtype} in process ${rank}, ` +
            `${own.what} of ${own.length} ${own.dtype} in process ${this.#peers?.rank ?? 0}`,
        );
    this.#counts = calls.map(({ devices }) => devices);
  }

  /** The arrays of all devices, one after the other. */
  async #gathered(arrays: readonly DeviceArray[]): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (const array of arrays) parts.push(await bytesOf(array));
    return joined(await this.#exchange(joined(parts)));
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
  async #reduced(
    what: string,
    arrays: readonly DeviceArray[],
    options: ReduceOptions,
    check: (devices: number) => void = () => undefined,
  ): Promise<Uint8Array> {
    checkOptions<ReduceOptions>(what, options, { operation: true }, { meant: { op: "operation" } });
    const { operation = "sum" } = options;
    const length = this.#checked(what, arrays);
    const { dtype } = arrays[0] as DeviceArray;
    if (!Object.hasOwn(COMBINED, operation))
      throw new HeddleError("bad-arguments", `${what}: the operation must be ${Object.keys(COMBINED).join(", ")}`);
    if (TYPES[dtype] === undefined || (operation === "mean" && /int/.test(dtype)))
      throw new HeddleError("bad-arguments", `${what} has no ${operation} of ${dtype}`);
    await this.#agree({ what: `${what}, ${operation}`, dtype, length, devices: this.size });
    check(this.#total);
    if (length === 0) return new Uint8Array(0);
    const first = this.#devices[0] as Gpu;
    using all = first.array(length * this.#total, dtype);
    first.raw.write(all.pointer, await this.#gathered(arrays));
    using result = first.array(length, dtype);
    const combine = await (await this.#program(dtype, operation)).kernel("combine");
    await combine.launch({ grid: Math.ceil(length / BLOCK), block: BLOCK }, all, result, length, this.#total);
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
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
