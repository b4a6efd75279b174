/** Numbers for people, in reports and on terminals. */

const UNITS = [
  ["T", 1e12],
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e4],
] as const;

/** 1234567 → 1.235 M */
export function shortNumber(value: number): string {
  for (const [unit, least] of UNITS)
    if (value >= least) return `${(value / (unit === "k" ? 1e3 : least)).toPrecision(4)} ${unit}`;
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

/** 4096 B, 12.58 MB */
export function byteCount(value: number): string {
  const short = shortNumber(value);
  return /\d$/.test(short) ? `${short} B` : `${short}B`;
}

/** 0.256 → 26 % */
export function percentText(part: number): string {
  return `${Math.round(100 * part)} %`;
}

export function timeText(microseconds: number): string {
  if (microseconds >= 1e6) return `${(microseconds / 1e6).toPrecision(3)} s`;
  if (microseconds >= 1e3) return `${(microseconds / 1e3).toPrecision(3)} ms`;
  return `${microseconds.toPrecision(3)} µs`;
}
