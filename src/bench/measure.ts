/** Times of one version in one configuration: fresh inputs for every launch, the output of every timed launch verified. */
import { randomInt } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import { isPrecise, LEAST_SAMPLES } from "./statistics.ts";
import type { CacheState, Stopwatch } from "./stopwatch.ts";
import type { Workspace } from "./workspace.ts";

export interface SamplingPlan {
  readonly warmups: number;
  readonly least: number;
  readonly most: number;
  /** It ends earlier when the 95 % interval of the median is this part of it to either side. */
  readonly precision: number;
  /** And it ends then, if there are enough samples. */
  readonly seconds: number;
}

/** For the figures that are reported. */
export const FINAL_PLAN: SamplingPlan = { warmups: 2, least: 10, most: 200, precision: 0.01, seconds: 3 };
/** For the configurations of a sweep: enough to choose among them. */
export const SWEEP_PLAN: SamplingPlan = { warmups: 1, least: LEAST_SAMPLES, most: 20, precision: 0.03, seconds: 0.5 };

export interface Measurement {
  /** Milliseconds, in the order they were taken. */
  readonly times: readonly number[];
  readonly comparison: Comparison;
}

/** Thrown at the next launch after Ctrl-C. */
export class Interrupted extends Error {}

export interface MeasureParts {
  readonly workspace: Workspace;
  readonly stopwatch: Stopwatch;
  readonly launches: readonly (() => void)[];
  readonly signal: AbortSignal;
}

export async function measure({ workspace, stopwatch, launches, signal }: MeasureParts, cache: CacheState, plan: SamplingPlan): Promise<Measurement> {
  const times: number[] = [];
  let comparison = NOTHING_COMPARED;
  let set = 0;
  const started = Date.now();
  for (let i = -plan.warmups; ; i++) {
    await nextTurn();
    if (signal.aborted) throw new Interrupted();
    // Never the same twice in a row: what a launch kept somewhere is no answer for the next.
    set = workspace.sets === 1 ? 0 : (set + 1 + randomInt(workspace.sets - 1)) % workspace.sets;
    const ms = await stopwatch.time(() => {
      workspace.begin(set);
      if (cache === "cold") workspace.flushCache();
    }, launches);
    comparison = joinComparisons(comparison, await workspace.compare(set, false));
    if (comparison.wrong > 0) return { times, comparison };
    if (i < 0) continue;
    times.push(ms);
    if (times.length >= plan.most) return { times, comparison };
    if (times.length >= plan.least && (isPrecise(times, plan.precision) || Date.now() - started > plan.seconds * 1000)) return { times, comparison };
  }
}
