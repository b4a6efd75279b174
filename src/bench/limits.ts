/**
 * What a device can do at best. Twofold: ceilings that are measured in the same run, with kernels that do nothing but
 * copy, multiply and add or multiply small matrices, to say how far a version is from them; and floors that nothing can
 * be faster than, from the hardware's own numbers, to refuse what cannot be true.
 */
import { availableParallelism } from "node:os";
import type { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import type { GpuProgram } from "../library/gpu-program.ts";
import type { CompileOptions } from "../library/gpu-program.ts";
import type { OperationUnit, Work } from "./ladder.ts";
import type { CacheState, Stopwatch } from "./stopwatch.ts";
import { fill } from "./workspace.ts";

const SOURCE = `
__global__ void copyAll(const float4* __restrict__ from, float4* __restrict__ to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}
// Eight chains, so that the latency of one is hidden behind the others; what is stored keeps the compiler from leaving
// it out.
__global__ void multiplyAdd(float* out, float a, float b, int rounds) {
  float x[8];
  for (int i = 0; i < 8; i++) x[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < 8; i++) x[i] = fmaf(x[i], a, b);
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
`;
/**
 * Eight chains again, of products of 16 x 16 and 16 x 8 bfloat16 (PTX ISA 8.5, 9.7.13.4.8), whose elements are zero but
 * for the lanes' numbers: a GPU that is short of power slows down for random ones, and what is wanted is a ceiling. On
 * Hopper mma.sync has some 60 % of what wgmma reaches, which the emulated device does not have.
 */
const MATRIX_SOURCE = `
__global__ void multiplyMatrices(float* out, unsigned a, unsigned b, int rounds) {
  float c[8][4] = {};
  a *= threadIdx.x, b *= threadIdx.x;
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int i = 0; i < 8; i++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
          : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3]) : "r"(a), "r"(b));
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
`;
const MATRIX_OPERATIONS = 2 * 16 * 8 * 16;
const REPETITIONS = 25;
/** Below this a copy measures the launch. */
const LEAST_COPY_BYTES = 1 << 20;
/** Of the two arrays together: more says no more. */
const MOST_COPY_BYTES = 2 ** 32;

export interface Ceilings {
  /** Of a copy that reads and writes so many bytes in all, gigabytes a second. */
  readonly copyGBs: number;
  /** Operations of the work's unit, a multiply-add being two: billions a second. */
  readonly operationsG: number;
}

type Compile = (source: string, options: CompileOptions) => Promise<GpuProgram>;

export class Limits {
  readonly #gpu: Gpu;
  readonly #stopwatch: Stopwatch;
  readonly #program: GpuProgram;
  readonly #compile: Compile;
  readonly #copies = new Map<string, number>();
  readonly #operations = new Map<OperationUnit, number>();

  private constructor(gpu: Gpu, watch: Stopwatch, program: GpuProgram, compile: Compile) {
    this.#gpu = gpu;
    this.#stopwatch = watch;
    this.#program = program;
    this.#compile = compile;
  }

  static async open(gpu: Gpu, watch: Stopwatch, compile: Compile): Promise<Limits> {
    return new Limits(gpu, watch, await compile(SOURCE, { device: gpu, path: "limits.cu" }), compile);
  }

  /** @param work a copy of as many bytes is compared with it, since caches make small ones faster. */
  async ceilings({ bytes, unit = "fp32" }: Work, cache: CacheState): Promise<Ceilings> {
    const wanted = 2 ** Math.ceil(Math.log2(Math.max(LEAST_COPY_BYTES, bytes)));
    const size = Math.min(
      MOST_COPY_BYTES,
      wanted,
      2 ** Math.floor(Math.log2(this.#gpu.raw.memoryInfo().freeBytes / 2)),
    );
    const key = `${cache} ${size}`;
    let copyGBs = this.#copies.get(key);
    if (copyGBs === undefined) this.#copies.set(key, (copyGBs = await this.#measureCopy(size, cache)));
    return { copyGBs, operationsG: await this.#ceiling(unit) };
  }

  async #ceiling(unit: OperationUnit): Promise<number> {
    let ceiling = this.#operations.get(unit);
    if (ceiling === undefined) {
      // The emulated device has no tensor cores: there, fp32 may be the faster way.
      ceiling =
        unit === "fp32"
          ? await this.#measureFp32()
          : Math.max(await this.#ceiling("fp32"), await this.#measureMatrices());
      this.#operations.set(unit, ceiling);
    }
    return ceiling;
  }

  async #measureCopy(bytes: number, cache: CacheState): Promise<number> {
    const elements = bytes / 8;
    using from = this.#gpu.array(elements, "float32");
    using to = this.#gpu.array(elements, "float32");
    const kernel = await this.#program.kernel("copyAll");
    const block = 256;
    const [whole, resident] = [Math.ceil(elements / 4 / block), this.#gpu.properties.multiProcessorCount * 8];
    const launches = [whole, Math.min(whole, resident)].map((grid) =>
      kernel.prepare({ grid, block }, [from, to, elements / 4]),
    );
    // The driver has a copy of its own, which is not slower as a rule.
    const { queue } = this.#gpu.raw;
    if (queue !== null) launches.push(() => queue.copy(to.pointer, from.pointer, bytes / 2, 0));
    let best = Infinity;
    for (const launch of launches)
      best = Math.min(best, await this.#best(cache === "cold" ? this.#stopwatch.flush : this.#busy(from), launch));
    return bytes / best / 1e6;
  }

  async #measureFp32(): Promise<number> {
    const block = 256;
    const isReal = this.#gpu.raw.kind === "cuda";
    const grid = isReal ? this.#gpu.properties.multiProcessorCount * 8 : 64;
    const rounds = isReal ? 4096 : 256;
    using out = this.#gpu.array(grid * block, "float32");
    const launch = (await this.#program.kernel("multiplyAdd")).prepare({ grid, block }, [out, 0.5, 0.25, rounds]);
    return (grid * block * rounds * 8 * 2) / (await this.#best(this.#busy(out), launch)) / 1e6;
  }

  async #measureMatrices(): Promise<number> {
    const block = 256;
    const isReal = this.#gpu.raw.kind === "cuda";
    const grid = isReal ? this.#gpu.properties.multiProcessorCount * 4 : 8;
    const rounds = isReal ? 4096 : 16;
    using out = this.#gpu.array(grid * block, "float32");
    const program = await this.#compile(MATRIX_SOURCE, { device: this.#gpu, path: "limits-matrices.cu" });
    const launch = (await program.kernel("multiplyMatrices")).prepare({ grid, block }, [out, 1, 1, rounds]);
    return (((grid * block) / 32) * rounds * 8 * MATRIX_OPERATIONS) / (await this.#best(this.#busy(out), launch)) / 1e6;
  }

  /** Keeps a GPU busy while the launch is queued behind it, so that the way there is not counted. */
  #busy(array: DeviceArray): () => void {
    return this.#gpu.raw.queue === null ? () => undefined : () => fill(this.#gpu, array, 0, 4);
  }

  /** The fastest run, in milliseconds: a ceiling that a busy machine lowers would flatter every version. */
  async #best(before: () => void, launch: () => void): Promise<number> {
    let best = Infinity;
    for (let i = 0; i < REPETITIONS; i++) best = Math.min(best, await this.#stopwatch.time(before, [launch]));
    return best;
  }
}

/** Fastest clock of any processor sold, with some room. */
const FASTEST_CORE_HZ = 6.5e9;
/** An x86 or ARM core loads or stores at most 2 × 64 + 64 bytes a cycle. */
const CORE_BYTES_PER_CYCLE = 192;
/** WebAssembly has vectors of 4 floats; at most four of them begin a cycle, and a fused one counts twice. */
const CORE_OPERATIONS_PER_CYCLE = 32;
/**
 * What an SM's L1 and shared memory deliver in a cycle (Hopper tuning guide); every byte that a kernel uses comes by
 * there.
 */
const SM_BYTES_PER_CYCLE = 128;
/**
 * FP32 units of a multiprocessor, the most of any architecture (CUDA C++ Programming Guide, "Arithmetic Instructions").
 */
const SM_FP32_UNITS = 128;
/**
 * Operations of bfloat16 matrices of a multiprocessor in a cycle, without sparsity: peak rates of the architectures'
 * white papers by clock and multiprocessors. From 10.0 on with room for what is to come.
 */
const smMatrixOperations = (major: number, minor: number): number =>
  major < 8 ? 1024 : major === 8 ? (minor === 0 ? 2048 : 1024) : major === 9 ? 4096 : 16_384;

/**
 * The time that no launch can be below, in milliseconds. Cold: `inputBytes` come from DRAM, whose bus gives no more
 * (outputs may stay in L2). Hot: everything goes through the SMs at least. Operations: as many as there are units and
 * cycles.
 */
export function physicalFloorMs(gpu: Gpu, work: Work & { readonly inputBytes: number }, cache: CacheState): number {
  const { properties, raw } = gpu;
  if (raw.kind === "emulated") {
    const cycles = availableParallelism() * FASTEST_CORE_HZ;
    return (
      Math.max(work.bytes / (cycles * CORE_BYTES_PER_CYCLE), work.operations / (cycles * CORE_OPERATIONS_PER_CYCLE)) *
      1000
    );
  }
  const cycles = properties.multiProcessorCount * properties.clockRateKHz * 1000;
  const { major, minor } = properties.computeCapability;
  const smOperations = work.unit === "bf16" ? smMatrixOperations(major, minor) : SM_FP32_UNITS * 2;
  const busBytes = (2 * properties.memoryClockRateKHz * 1000 * properties.memoryBusWidthBits) / 8;
  const floors = [work.bytes / (cycles * SM_BYTES_PER_CYCLE), work.operations / (cycles * smOperations)];
  if (cache === "cold" && busBytes > 0) floors.push(Math.min(work.bytes, work.inputBytes) / busBytes);
  return Math.max(...floors) * 1000;
}
