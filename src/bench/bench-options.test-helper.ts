/** Options of benchLadder for tests: one configuration, a few samples, no rivals, no files. */
import type { BenchOptions } from "./bench-ladder.ts";

/** @param samples that are timed of each version */
export function benchOptions(
  parts: Pick<BenchOptions, "open" | "load"> & Partial<BenchOptions>,
  samples: number,
): BenchOptions {
  return {
    openRival: async () => ({ absent: "no rivals here" }),
    clocks: () => null,
    sweep: false,
    sweepMemory: null,
    checkOnly: false,
    openProfiled: null,
    openRegisters: async () => null,
    plan: { warmups: 1, least: samples, most: samples, precision: 0, seconds: 1, mostSeconds: 60 },
    seed: null,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...parts,
  };
}
