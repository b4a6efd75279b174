/** Bars, with the spread of what was measured and a line for a limit. */
import { Html, markup } from "./markup.ts";

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Beside the bar. */
  readonly text: string;
  /** From where to where the value may be. */
  readonly range?: readonly [low: number, high: number];
}

export interface BarOptions {
  /** What the bars show, for those who do not see them. */
  readonly label: string;
  readonly limit?: { readonly value: number; readonly text: string };
  /** The end of the scale; without it, that of the longest bar. */
  readonly most?: number;
  /** For half the width of a page. */
  readonly narrow?: boolean;
}

const WIDE = { width: 760, names: 190, texts: 120 };
const NARROW = { width: 420, names: 130, texts: 90 };
const ROW = 24;

export function bars(all: readonly Bar[], { label, limit, most, narrow = false }: BarOptions): Html | null {
  if (all.length === 0) return null;
  const { width: whole, names, texts } = narrow ? NARROW : WIDE;
  const end = most ?? Math.max(...all.map(({ value, range }) => range?.[1] ?? value), Number.MIN_VALUE);
  const x = (value: number): string => (names + (Math.min(value, end) / end) * (whole - names - texts)).toFixed(1);
  const rows = all.map(({ name, value, text, range }, i) => {
    const y = i * ROW + 4;
    const width = Math.max(1, Number(x(value)) - names).toFixed(1);
    const [low, high] = range ?? [value, value];
    const middle = y + (ROW - 8) / 2;
    const spread =
      range === undefined
        ? null
        : markup`<line class="range" x1="${x(low)}" x2="${x(high)}" y1="${middle}" y2="${middle}" />`;
    return markup`<text x="0" y="${y + 12}">${name}</text>
      <rect class="bar" x="${names}" y="${y}" width="${width}" height="${ROW - 8}" />
      ${spread}
      <text x="${(Number(x(high)) + 8).toFixed(1)}" y="${y + 12}">${text}</text> `;
  });
  const height = all.length * ROW + (limit === undefined ? 4 : 20);
  const line =
    limit === undefined
      ? null
      : markup`<line class="limit" x1="${x(limit.value)}" x2="${x(limit.value)}" y1="0" y2="${height - 18}" />
          <text x="${x(limit.value)}" y="${height - 4}" text-anchor="middle">${limit.text}</text> `;
  return markup`<div class="wide bars">
    <svg viewBox="0 0 ${whole} ${height}" role="img" aria-label="${label}">${rows}${line}</svg>
  </div> `;
}
