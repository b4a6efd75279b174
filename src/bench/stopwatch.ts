/**
 * Time of launches. On a GPU: events on its default stream, about launches that were queued while it was still busy with the preparation, so
 * that what Node.js does in between is not counted. On an emulated device: this process's clock about launches on the calling thread.
 * The clock is taken before any ladder is loaded: what a ladder does to `performance` does not reach it.
 */
import type { Gpu } from "../library/gpu.ts";

const now = process.hrtime.bigint.bind(process.hrtime);

/** cold: nothing of the data is in the GPU's L2; hot: as the copies of inputs left it. */
export type CacheState = "cold" | "hot";

export interface Stopwatch {
  /** Which can be told apart, the more telling first. */
  readonly caches: readonly CacheState[];
  /** Milliseconds that the launches take after `before`. Throws HeddleError "device-fault". */
  time(before: () => void, launches: readonly (() => void)[]): Promise<number>;
}

export function stopwatch(gpu: Gpu): Stopwatch {
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
  return {
    caches: ["cold", "hot"],
    time: async (before, launches) => {
      before();
      queue.record(start, 0);
      for (const launch of launches) launch();
      queue.record(end, 0);
      await gpu.synchronize();
      return queue.elapsedMs(start, end);
    },
  };
}
