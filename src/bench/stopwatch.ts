/**
 * Time of launches. On a GPU: events on its default stream, about launches that were queued while it was still busy: with the preparation, and then with a kernel that
 * only waits, as long as the way of the launches to the GPU takes (a library's call may take longer than the copies of small inputs). What the processor does is not counted. On an emulated device: this process's clock about launches on the calling thread.
 * The clock is taken before any ladder is loaded: what a ladder does to `performance` does not reach it.
 */
import type { Gpu } from "../library/gpu.ts";
import type { CompileOptions, GpuProgram } from "../library/gpu-program.ts";

const now = process.hrtime.bigint.bind(process.hrtime);

/** cold: nothing of the data is in the GPU's L2; hot: as the copies of inputs left it. */
export type CacheState = "cold" | "hot";

export interface Stopwatch {
  /** Which can be told apart, the more telling first. */
  readonly caches: readonly CacheState[];
  /** Milliseconds that the launches take after `before`. Throws HeddleError "device-fault". */
  time(before: () => void, launches: readonly (() => void)[]): Promise<number>;
}

const WAIT_SOURCE = "__global__ void wait(long long cycles) { long long start = clock64(); while (clock64() - start < cycles) ; }";
/** Before it is known how long queueing takes: library calls load code when they are called first. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 20;
const SHORTEST_WAIT_MS = 0.02;

/** Keeps a GPU busy for so many milliseconds. */
type Hold = (ms: number) => void;

export async function openStopwatch(gpu: Gpu, compile: (source: string, options: CompileOptions) => Promise<GpuProgram>): Promise<Stopwatch> {
  if (gpu.raw.queue === null) return stopwatch(gpu);
  const kernel = await (await compile(WAIT_SOURCE, { device: gpu, path: "wait.cu" })).kernel("wait");
  const run = kernel.configure({ grid: 1, block: 1 });
  return stopwatch(gpu, (ms) => run(BigInt(Math.ceil(ms * gpu.properties.clockRateKHz))));
}

/** @param hold of a device with a queue. */
export function stopwatch(gpu: Gpu, hold: Hold = () => undefined): Stopwatch {
  const { queue } = gpu.raw;
  if (queue === null) {
    return {
      caches: ["hot"],
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
