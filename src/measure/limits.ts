/**
 * Ceilings of a device: what kernels reach that do nothing but copy, multiply and add, or multiply small matrices. They
 * are measured in the same run as the versions, and say how far a version is from them.
 */
import type { OperationUnit, Work } from "./work.ts";
import type { CacheState, Stopwatch } from "./stopwatch.ts";
import { fillArray, type CompileFor, type TimedArray, type TimedDevice, type TimedProgram } from "./timed-device.ts";

/** A kernel `multiplyMatrices(out, a, b, rounds)`. */
interface MatrixKernel {
  readonly source: string;
  /** Of so many threads in a round, a multiply-add being two. */
  readonly operations: number;
  readonly threads: number;
}

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
 * for the lanes' numbers: a GPU that is short of power slows down for random ones, and what is wanted is a ceiling.
 */
const WARP_MATRICES: MatrixKernel = {
  operations: 8 * 2 * 16 * 8 * 16,
  threads: 32,
  source: `
__global__ void multiplyMatrices(float* out, unsigned a, unsigned b, int rounds) {
  float c[8][4] = {};
  a *= threadIdx.x, b *= threadIdx.x;
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int i = 0; i < 8; i++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
          "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
          : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3]) : "r"(a), "r"(b));
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
`,
};
/** Products in a row before a group of warps waits for them. */
const GROUP_PRODUCTS = 8;
const GROUP_SUMS = 128;
const sums = Array.from({ length: GROUP_SUMS }, (_, i) => i);
/**
 * On Hopper mma.sync has some 60 % of what wgmma reaches: products of 64 x 16 and 16 x 256 by the four warps of a
 * group, from tiles in shared memory (PTX ISA 8.5, 9.7.14), which are as close to zero as the numbers above. A tile
 * consists of parts of 128 bytes, one behind the other in K and then in M or N.
 */
const groupMatrices = (product: string, depth: number, immediates: string): MatrixKernel => ({
  operations: GROUP_PRODUCTS * 2 * 64 * 256 * depth,
  threads: 128,
  source: `
__device__ unsigned long long tileAt(const void* p) {
  return (__cvta_generic_to_shared(p) >> 4 & 0x3fff) | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}
__global__ void multiplyMatrices(float* out, unsigned a, unsigned b, int rounds) {
  __shared__ __align__(128) unsigned left[64 * 16 / 2], right[16 * 256 / 2];
  for (int i = threadIdx.x; i < 64 * 16 / 2; i += blockDim.x) left[i] = a * (i & 31);
  for (int i = threadIdx.x; i < 16 * 256 / 2; i += blockDim.x) right[i] = b * (i & 31);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float c[${GROUP_SUMS}] = {};
  unsigned long long leftAt = tileAt(left), rightAt = tileAt(right);
  for (int r = 0; r < rounds; r++)
    asm volatile("{ .reg .pred p; setp.eq.b32 p, 0, 0; wgmma.fence.sync.aligned;"
${Array.from(
  { length: GROUP_PRODUCTS },
  () =>
    `        " wgmma.mma_async.sync.aligned.${product} {${sums.map((i) => `%${i}`).join(",")}}, ` +
    `%${GROUP_SUMS}, %${GROUP_SUMS + 1}, p, ${immediates};"`,
).join("\n")}
        " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }"
        : ${sums.map((i) => `"+f"(c[${i}])`).join(", ")} : "l"(leftAt), "l"(rightAt));
  float sum = 0;
  for (int i = 0; i < ${GROUP_SUMS}; i++) sum += c[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
`,
});
const GROUP_MATRICES = {
  bf16: groupMatrices("m64n256k16.f32.bf16.bf16", 16, "1, 1, 0, 0"),
  fp8: groupMatrices("m64n256k32.f32.e4m3.e4m3", 32, "1, 1"),
} as const;
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

interface LimitParts<D extends TimedDevice> {
  readonly device: D;
  readonly stopwatch: Stopwatch;
  readonly program: TimedProgram;
  readonly compile: CompileFor<D>;
}

export class Limits<D extends TimedDevice = TimedDevice> {
  readonly #gpu: D;
  readonly #stopwatch: Stopwatch;
  readonly #program: TimedProgram;
  readonly #compile: CompileFor<D>;
  readonly #copies = new Map<string, number>();
  readonly #operations = new Map<OperationUnit, number>();

  /** @internal Use `openLimits`. */
  constructor({ device, stopwatch, program, compile }: LimitParts<D>) {
    this.#gpu = device;
    this.#stopwatch = stopwatch;
    this.#program = program;
    this.#compile = compile;
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
          : Math.max(await this.#ceiling("fp32"), await this.#measureMatrices(unit));
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

  async #measureMatrices(unit: Exclude<OperationUnit, "fp32">): Promise<number> {
    const { raw, properties } = this.#gpu;
    const isReal = raw.kind === "cuda";
    const isHopper = isReal && properties.computeCapability.major === 9;
    const { source, operations, threads } = isHopper ? GROUP_MATRICES[unit] : WARP_MATRICES;
    const block = isHopper ? threads : 256;
    const grid = isReal ? properties.multiProcessorCount * (isHopper ? 2 : 4) : 8;
    const rounds = isReal ? 4096 : 16;
    using out = this.#gpu.array(grid * block, "float32");
    const program = await this.#compile(source, { device: this.#gpu, path: "limits-matrices.cu" });
    const launch = (await program.kernel("multiplyMatrices")).prepare({ grid, block }, [out, 1, 1, rounds]);
    return (((grid * block) / threads) * rounds * operations) / (await this.#best(this.#busy(out), launch)) / 1e6;
  }

  /** Keeps a GPU busy while the launch is queued behind it, so that the way there is not counted. */
  #busy(array: TimedArray): () => void {
    return this.#gpu.raw.queue === null ? () => undefined : () => fillArray(this.#gpu, array, 0, 4);
  }

  /** The fastest run, in milliseconds: a ceiling that a busy machine lowers would flatter every version. */
  async #best(before: () => void, launch: () => void): Promise<number> {
    let best = Infinity;
    for (let i = 0; i < REPETITIONS; i++) best = Math.min(best, await this.#stopwatch.time(before, [launch]));
    return best;
  }
}

/** The limits of a device; nothing is measured before it is asked for. */
export async function openLimits<D extends TimedDevice>(
  device: D,
  stopwatch: Stopwatch,
  compile: CompileFor<D>,
): Promise<Limits<D>> {
  return new Limits({ device, stopwatch, program: await compile(SOURCE, { device, path: "limits.cu" }), compile });
}
