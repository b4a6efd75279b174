/** How long operations take: events around each run, behind runs that do not count. */
import { HeddleError } from "../../base/diagnostics.ts";
import { checkOptions } from "../../base/options.ts";
import type { GpuEvent } from "../../library/gpu-stream.ts";
import { summarize } from "../../measure/statistics.ts";
import type { Tensors } from "./tensors.ts";

export interface TimingOptions {
  /** Runs before, which do not count: kernels are compiled in them, and caches filled. Default 3. */
  readonly warmups?: number;
  /** Runs that count; default 20. */
  readonly runs?: number;
}

export interface Timing {
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The median lies between these two with 95 %. */
  readonly intervalMs: readonly [low: number, high: number];
  /** Of each run, in their order. */
  readonly runsMs: readonly number[];
}

/** See `Timings.time`. */
export async function time(torch: Tensors, work: () => unknown, options: TimingOptions): Promise<Timing> {
  const example = "torch.time(() => x.matmul(y), { runs: 100 })";
  checkOptions<TimingOptions>("time", options, { warmups: true, runs: true }, { example });
  const { warmups = 3, runs = 20 } = options;
  for (const [name, count, least] of [
    ["warmups", warmups, 0],
    ["runs", runs, 1],
  ] as const)
    if (!Number.isInteger(count) || count < least)
      throw new HeddleError("bad-arguments", `${name} is a whole number from ${least} on, not ${String(count)}`, {
        notes: [`for example ${example}`],
      });
  const { device } = torch;
  const run = async (): Promise<void> => {
    await torch.tidy(() => {
      const waiting = work();
      return waiting instanceof Promise ? waiting.then(() => {}) : undefined;
    });
  };
  for (let i = 0; i < warmups; i++) await run();
  await device.synchronize();
  const events: [start: GpuEvent, end: GpuEvent][] = [];
  try {
    for (let i = 0; i < runs; i++) {
      const [start, end] = [device.event(), device.event()];
      events.push([start, end]);
      start.record();
      await run();
      end.record();
    }
    const runsMs: number[] = [];
    for (const [start, end] of events) runsMs.push(await end.since(start));
    const { median, low, high } = summarize(runsMs);
    return {
      medianMs: median,
      minMs: Math.min(...runsMs),
      maxMs: Math.max(...runsMs),
      intervalMs: [low, high],
      runsMs,
    };
  } finally {
    for (const event of events.flat()) event.close();
  }
}
