/**
 * Times of one version in one configuration: fresh inputs for every launch, the output of every timed launch verified.
 */
import { joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import { isPrecise } from "../measure/statistics.ts";
import { randomInt } from "./random-int.ts";
import type { CacheState, Stopwatch } from "../measure/stopwatch.ts";
import type { Workspace } from "./workspace.ts";
import { Interrupted, type SamplingPlan } from "../measure/sampling.ts";

export interface Measurement {
  /** Milliseconds, in the order they were taken. */
  readonly times: readonly number[];
  readonly comparison: Comparison;
}

/** What can be launched on sets of inputs, on arrays of this process or of another one. */
export interface MeasuredRun {
  /** How many sets of inputs there are. */
  readonly sets: number;
  /**
   * Puts a set in place, spoils everything else, and launches.
   * @param cache null: for a check; the time means nothing then.
   * @returns milliseconds that the launches alone took.
   */
  launch(set: number, cache: CacheState | null): Promise<number>;
  /**
   * Compares what the last launch has left with the reference of the set: as a whole, or at random places of large
   * outputs.
   */
  compare(set: number, whole: boolean): Promise<Comparison>;
}

/** Launches on this device's arrays. */
export function runOn(workspace: Workspace, stopwatch: Stopwatch, launches: readonly (() => void)[]): MeasuredRun {
  return {
    sets: workspace.sets,
    launch: (set, cache) =>
      stopwatch.time(() => {
        workspace.begin(set);
        if (cache === "cold") stopwatch.flush();
      }, launches),
    compare: (set, whole) => workspace.compare(set, whole),
  };
}

/** Fewer times have no spread. */
const LEAST_SAMPLES = 2;

export async function measure(
  run: MeasuredRun,
  cache: CacheState,
  plan: SamplingPlan,
  signal: AbortSignal,
): Promise<Measurement> {
  const times: number[] = [];
  let comparison = NOTHING_COMPARED;
  let set = 0;
  let started = Date.now();
  for (let i = -plan.warmups; ; i++) {
    await nextTask();
    if (i === 0) started = Date.now();
    if (signal.aborted) throw new Interrupted();
    // Never the same twice in a row: a result that a launch has stored somewhere is wrong for the next.
    set = run.sets === 1 ? 0 : (set + 1 + randomInt(run.sets - 1)) % run.sets;
    const ms = await run.launch(set, cache);
    comparison = joinComparisons(comparison, await run.compare(set, false));
    if (comparison.wrong > 0) return { times, comparison };
    if (i < 0) continue;
    times.push(ms);
    if (times.length >= plan.most) return { times, comparison };
    const seconds = (Date.now() - started) / 1000;
    if (times.length >= plan.least && (isPrecise(times, plan.precision) || seconds > plan.seconds))
      return { times, comparison };
    if (seconds > plan.mostSeconds && times.length >= LEAST_SAMPLES) return { times, comparison };
  }
}

/** Lets signals and timers of this thread run between launches. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
