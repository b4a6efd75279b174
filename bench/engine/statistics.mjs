// What is said of a list of times.

/** The p-quantile (0 to 1) of some numbers, linear between neighbours. */
export function quantile(values, p) {
  if (values.length === 0) throw new Error("no values");
  const sorted = [...values].sort((a, b) => a - b);
  const at = p * (sorted.length - 1);
  const below = sorted[Math.floor(at)];
  return below + (at - Math.floor(at)) * (sorted[Math.ceil(at)] - below);
}

export function median(values) {
  return quantile(values, 0.5);
}

/** Median, quartiles, extremes, and the spread: half the distance of the quartiles, as a part of the median. */
export function summary(values) {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((p) => quantile(values, p));
  return {
    median: middle,
    q1: low,
    q3: high,
    min: Math.min(...values),
    max: Math.max(...values),
    spread: (high - low) / 2 / middle,
    samples: values.length,
  };
}

export function geometricMean(values) {
  if (values.length === 0) throw new Error("no values");
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
