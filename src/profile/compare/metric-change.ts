/** How counters have changed, and whether that is good. */
import type { Metrics } from "../line-profile.ts";

/** "different": more of it is neither good nor bad by itself. */
export type Verdict = "better" | "worse" | "different";

export interface MetricChange {
  readonly metric: string;
  readonly before: number;
  readonly after: number;
  /** (after − before) / before; null: it was 0. */
  readonly change: number | null;
  readonly verdict: Verdict;
}

/** Work that a kernel had better do less of. */
const LESS_IS_BETTER: readonly RegExp[] = [
  /l1tex_+t_(requests|sectors)_/,
  /_wavefronts_mem_/,
  /_bank_conflicts_/,
  /^lts__t_sectors/,
  /^dram__bytes/,
  /^memory_l2_theoretical_sectors_global$/,
  /^smsp__(thread_)?inst_executed/,
  /_targets_threads_divergent/,
  /^heddle__barrier_skew_/,
  /^smsp__sass_thread_inst_executed_op_(dadd|dmul|dfma|integer|conversion|memory|control)_/,
  /^launch__registers_per_thread$/,
];
const MORE_IS_BETTER: readonly RegExp[] = [/^sm__maximum_warps_per_active_cycle_pct$/, /hit_rate/];

/** Figures are exact; what a division has left in the last digits is no change. */
const NO_CHANGE = 1e-9;

/** What differs, the largest relative change first. */
export function metricChanges(before: Metrics, after: Metrics): MetricChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .flatMap((metric) => {
      const [old, now] = [before[metric] ?? 0, after[metric] ?? 0];
      if (Math.abs(now - old) <= NO_CHANGE * Math.max(Math.abs(old), Math.abs(now))) return [];
      const change = old === 0 ? null : (now - old) / old;
      return [{ metric, before: old, after: now, change, verdict: verdictOf(metric, now - old) }];
    })
    .sort((a, b) => size(b) - size(a) || (a.metric < b.metric ? -1 : 1));
}

export function verdictOf(metric: string, difference: number): Verdict {
  if (LESS_IS_BETTER.some((pattern) => pattern.test(metric))) return difference < 0 ? "better" : "worse";
  if (MORE_IS_BETTER.some((pattern) => pattern.test(metric))) return difference > 0 ? "better" : "worse";
  return "different";
}

/** Twice as much is as large a change as half as much. */
function size({ before, after }: MetricChange): number {
  return before === 0 || after === 0 ? Infinity : Math.abs(Math.log(after / before));
}
