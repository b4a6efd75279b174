/** How far apart the warps of a block arrive at barriers, in words: for the terminal and for the page. */
import { shortNumber } from "../report/numbers.ts";
import type { LineProfile, Metrics } from "./line-profile.ts";
import { BARRIERS, BARRIER_SKEW, WORST_SKEW } from "./line-sums.ts";

export interface BarrierFigures {
  /** Of all blocks. */
  readonly barriers: number;
  /** Warp instructions from the first warp that arrives to the last. */
  readonly mean: number;
  readonly worst: number;
}

/** null: no barrier of all threads of a block was executed. */
export function barrierFigures(metrics: Metrics): BarrierFigures | null {
  const barriers = metrics[BARRIERS] ?? 0;
  if (barriers === 0) return null;
  return { barriers, mean: metrics[BARRIER_SKEW] ?? 0, worst: metrics[WORST_SKEW] ?? 0 };
}

/** The line at which warps arrive furthest apart; null: all arrive together. */
export function worstBarrier(lines: readonly LineProfile[]): LineProfile | null {
  const worstOf = (line: LineProfile): number => barrierFigures(line.metrics)?.worst ?? 0;
  const worst = lines.reduce<LineProfile | null>(
    (known, line) => (worstOf(line) > (known === null ? 0 : worstOf(known)) ? line : known),
    null,
  );
  return worst;
}

export function skewText({ mean, worst }: BarrierFigures): string {
  if (worst === 0) return "the warps of a block arrive together";
  const average = shortNumber(Number(mean.toPrecision(3)));
  return `the warps of a block arrive ${average} warp instructions apart on average, ${shortNumber(worst)} at worst`;
}
