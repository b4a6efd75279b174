/** The middle of a list, or the mean of its two middles. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** A quarter of a list is less. Where others on a machine only make turns slower, it is steadier than the middle. */
export const lowerQuartile = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)];

export const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
