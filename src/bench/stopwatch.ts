/**
 * Time of launches. On a GPU: events on its default stream, about launches that were queued while it was still busy:
 * with the preparation, and then with a kernel that only waits, as long as the way of the launches to the GPU takes (a
 * library's call may take longer than the copies of small inputs). What the processor does is not counted. On an
 * emulated device: this process's clock about launches on the calling thread. The clock is taken before any ladder is
 * loaded: what a ladder does to `performance` does not reach it.
 */
import type { Gpu } from "../library/gpu.ts";
import type { CompileOptions, GpuProgram } from "../library/gpu-program.ts";
import { fill } from "./workspace.ts";

const now = process.hrtime.bigint.bind(process.hrtime);

/**
 * cold: nothing of the data is in the GPU's L2, and nothing that has yet to be written to memory; hot: as the copies of
 * inputs left it.
 */
export type CacheState = "cold" | "hot";

export interface Stopwatch {
  /** Which can be told apart, the more telling first. */
  readonly caches: readonly CacheState[];
  /** Milliseconds that the launches take after `before`. Throws HeddleError "device-fault". */
  time(before: () => void, launches: readonly (() => void)[]): Promise<number>;
  /** Makes the cache cold, after what was queued. Nothing where there is none to be told apart. */
  readonly flush: () => void;
}

/**
 * The cache is flushed by reading: lines that a flush has written would be written back to memory while the timed
 * launch reads, and 50 MB of that are the tenth part of what a kernel of 500 MB takes.
 */
const SOURCE = `
__global__ void wait(long long cycles) { long long start = clock64(); while (clock64() - start < cycles) ; }
__global__ void readAll(const uint4 *from, unsigned count, unsigned *to) {
  unsigned seen = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    uint4 v = from[i];
    seen |= v.x | v.y | v.z | v.w;
  }
  // Never so: the memory holds zeros.
  if (seen != 0) *to = seen;
}`;
/** What is read for a flush, in sizes of the cache: which lines stay longest is the GPU's secret. */
const FLUSH_CACHES = 4;
const LEAST_FLUSH_BYTES = 1 << 25;

/** How much is read so that nothing of the data is in the cache. */
export const flushBytes = ({ properties }: Gpu): number =>
  Math.max(FLUSH_CACHES * properties.l2CacheBytes, LEAST_FLUSH_BYTES);

/** Before it is known how long queueing takes: library calls load code when they are called first. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 20;
const SHORTEST_WAIT_MS = 0.02;

/** What a GPU needs kernels for. */
interface Kernels {
  /** Keeps it busy for so many milliseconds. */
  readonly hold: (ms: number) => void;
  readonly flush: () => void;
}
const NONE: Kernels = { hold: () => undefined, flush: () => undefined };

export async function openStopwatch(
  gpu: Gpu,
  compile: (source: string, options: CompileOptions) => Promise<GpuProgram>,
): Promise<Stopwatch> {
  if (gpu.raw.queue === null) return stopwatch(gpu);
  const program = await compile(SOURCE, { device: gpu, path: "stopwatch.cu" });
  const wait = (await program.kernel("wait")).configure({ grid: 1, block: 1 });
  const count = Math.floor(flushBytes(gpu) / 16);
  const zeros = gpu.array(4 * count, "uint32");
  fill(gpu, zeros, 0, 4);
  const flush = (await program.kernel("readAll")).prepare(
    { grid: gpu.properties.multiProcessorCount * 8, block: 256 },
    [zeros, count, zeros],
  );
  return stopwatch(gpu, { hold: (ms) => wait(BigInt(Math.ceil(ms * gpu.properties.clockRateKHz))), flush });
}

/** @param kernels of a device with a queue. */
export function stopwatch(gpu: Gpu, { hold, flush }: Kernels = NONE): Stopwatch {
  const { queue } = gpu.raw;
  if (queue === null) {
    return {
      caches: ["hot"],
      flush,
      time: async (before, launches) => {
        before();
        const start = now();
        for (const launch of launches) launch();
        return Number(now() - start) / 1e6;
      },
    };
  }
  const [start, end] = [queue.createEvent(), queue.createEvent()];
  let waitMs = FIRST_WAIT_MS;
  return {
    caches: ["cold", "hot"],
    flush,
    time: async (before, launches) => {
      before();
      hold(waitMs);
      queue.record(start, 0);
      const queued = now();
      for (const launch of launches) launch();
      // Half as long again: one queueing is not like another.
      waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, (1.5 * Number(now() - queued)) / 1e6));
      queue.record(end, 0);
      await gpu.synchronize();
      return queue.elapsedMs(start, end);
    },
  };
}
