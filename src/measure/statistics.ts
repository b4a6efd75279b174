/** Statistics of a list of times. */

export interface Summary {
  readonly median: number;
  /** The median lies in [low, high] with the stated confidence; of too few samples, their extremes. */
  readonly low: number;
  readonly high: number;
  /** Half the distance of the quartiles, as a part of the median. */
  readonly spread: number;
  readonly min: number;
  readonly samples: number;
}

/** 95 %. */
const Z = 1.959964;
/** Fewer have no 95 % interval at all: 2 * 0.5^5 > 5 %. */
export const LEAST_SAMPLES = 6;

export function quantile(sorted: readonly number[], p: number): number {
  const at = p * (sorted.length - 1);
  const below = sorted[Math.floor(at)] as number;
  return below + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] as number) - below);
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/**
 * The interval is that of order statistics, which supposes nothing of the distribution (J.-Y. Le Boudec, "Performance
 * Evaluation of Computer and Communication Systems", 2010, section 2.2; used for benchmarks by T. Hoefler, R. Belli,
 * "Scientific Benchmarking of Parallel Computing Systems", SC 2015).
 */
export function summarize(values: readonly number[]): Summary {
  if (values.length === 0) throw new Error("BUG: a summary of no values");
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const rank = Math.max(1, Math.floor((n - Z * Math.sqrt(n)) / 2));
  const middle = quantile(sorted, 0.5);
  return {
    median: middle,
    low: sorted[rank - 1] as number,
    high: sorted[n - rank] as number,
    spread: (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / middle,
    min: sorted[0] as number,
    samples: n,
  };
}

/** Whether the median is known to within this part of itself. */
export function isPrecise(values: readonly number[], part: number): boolean {
  if (values.length < LEAST_SAMPLES) return false;
  const { low, high, median: middle } = summarize(values);
  return (high - low) / 2 <= part * middle;
}
