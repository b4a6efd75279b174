/** Curves, and the roofline (Williams, Waterman, Patterson, 2009). */
import { Html, markup } from "./markup.ts";
import { shortNumber } from "./numbers.ts";

const WIDTH = 760;
const HEIGHT = 320;
const LEFT = 80;
const RIGHT = 20;
const TOP = 12;
const BOTTOM = 44;
/** The room of a dot's name. */
const NAME_WIDTH = 130;
const NAME_HEIGHT = 12;

export interface CurvePoint {
  readonly x: number;
  /** From 0 to 1. */
  readonly y: number;
}

/** A share over a quantity, in steps; `at`: the x that is marked. */
export function shareCurve(
  points: readonly CurvePoint[],
  { label, xTitle, at }: { readonly label: string; readonly xTitle: string; readonly at: number },
): Html {
  const [width, height, left] = [420, 190, 46];
  const end = Math.max(1, ...points.map(({ x }) => x));
  const px = (x: number): number => left + (x / end) * (width - left - RIGHT);
  const py = (y: number): number => TOP + (1 - y) * (height - TOP - BOTTOM);
  const lines = [0, 0.25, 0.5, 0.75, 1].map(
    (y) =>
      markup`<line class="grid" x1="${left}" x2="${width - RIGHT}" y1="${py(y)}" y2="${py(y)}" />
        <text class="muted" x="${left - 8}" y="${py(y) + 4}" text-anchor="end">${Math.round(100 * y)} %</text> `,
  );
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      markup`<text class="muted" x="${px(part * end)}" y="${height - BOTTOM + 18}" text-anchor="middle"
        >${Math.round(part * end)}</text
      > `,
  );
  const path = points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
  const marked = points.reduce(
    (a, b) => (Math.abs(b.x - at) < Math.abs(a.x - at) ? b : a),
    points[0] ?? { x: at, y: 0 },
  );
  return markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${lines}${ticks}
    <path class="curve" d="${path}" />
    <circle class="dot best" cx="${px(at).toFixed(1)}" cy="${py(marked.y).toFixed(1)}" r="5" />
    <text x="${(left + width - RIGHT) / 2}" y="${height - 6}" text-anchor="middle">${xTitle}</text>
  </svg> `;
}

export interface Roof {
  readonly name: string;
  /** Operations a second at most. */
  readonly peak: number;
}

export interface RooflinePoint {
  readonly name: string;
  /** Operations for each byte of DRAM. */
  readonly intensity: number;
  /** Operations a second. */
  readonly rate: number;
  readonly href: string;
}

export interface RooflineParts {
  readonly roofs: readonly Roof[];
  readonly bytesPerSecond: number;
  readonly points: readonly RooflinePoint[];
  readonly label: string;
}

/** As much of a name as has room; the dot's title has all of it. */
function shortened(name: string): string {
  return name.length <= NAME_LETTERS ? name : `${name.slice(0, NAME_LETTERS - 1)}…`;
}

const NAME_LETTERS = 20;

/** Operations a second over operations for each byte, both logarithmic. */
export function roofline({ roofs, bytesPerSecond, points, label }: RooflineParts): Html {
  const highest = Math.max(...roofs.map(({ peak }) => peak));
  const ridge = highest / bytesPerSecond;
  const x0 = Math.log10(Math.min(0.05, ...points.map(({ intensity }) => intensity / 2)));
  const x1 = Math.log10(Math.max(ridge * 10, ...points.map(({ intensity }) => intensity * 2)));
  const y0 = Math.log10(Math.min(bytesPerSecond * 10 ** x0, ...points.map(({ rate }) => rate / 2)));
  const y1 = Math.log10(highest * 2);
  const px = (value: number): number => LEFT + ((Math.log10(value) - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT);
  const py = (value: number): number => TOP + (1 - (Math.log10(value) - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM);
  const powers = (from: number, to: number): number[] =>
    Array.from({ length: Math.max(0, Math.floor(to) - Math.ceil(from) + 1) }, (_, i) => 10 ** (Math.ceil(from) + i));
  const vertical = powers(x0, x1).map(
    (x) =>
      markup`<line class="grid" x1="${px(x)}" x2="${px(x)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" />
        <text class="muted" x="${px(x)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${x}</text> `,
  );
  const horizontal = powers(y0, y1).map(
    (y) =>
      markup`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${py(y)}" y2="${py(y)}" />
        <text class="muted" x="${LEFT - 8}" y="${py(y) + 4}" text-anchor="end">${shortNumber(y)}</text> `,
  );
  const slope = markup`<line
    class="roof"
    x1="${px(10 ** x0)}"
    y1="${py(bytesPerSecond * 10 ** x0)}"
    x2="${px(ridge)}"
    y2="${py(highest)}"
  />
    <text x="${px(Math.sqrt(10 ** x0 * ridge)) - 8}" y="${py(bytesPerSecond * Math.sqrt(10 ** x0 * ridge)) - 6}"
      text-anchor="end">DRAM: ${shortNumber(bytesPerSecond)}B/s</text> `;
  const flat = roofs.map(
    ({ name, peak }) =>
      markup`<line
          class="roof"
          x1="${px(peak / bytesPerSecond)}"
          y1="${py(peak)}"
          x2="${WIDTH - RIGHT}"
          y2="${py(peak)}"
        />
        <text x="${WIDTH - RIGHT}" y="${py(peak) - 5}" text-anchor="end">${name}: ${shortNumber(peak)}FLOP/s</text> `,
  );
  const named: { readonly x: number; readonly y: number }[] = [];
  const dots = points.map(({ name, intensity, rate, href }) => {
    // A name that would lie on another stands in the dot's title alone.
    const [x, y] = [px(intensity), py(rate)];
    const isFree = named.every((other) => Math.abs(other.y - y) > NAME_HEIGHT || Math.abs(other.x - x) > NAME_WIDTH);
    if (isFree) named.push({ x, y });
    const about = `${name}: ${shortNumber(rate)}FLOP/s at ${shortNumber(intensity)} FLOP a byte`;
    return markup`<a href="${href}"
      ><circle class="dot best" cx="${x}" cy="${y}" r="6"><title>${about}</title></circle>
      ${isFree ? markup`<text x="${x + 9}" y="${y + 4}">${shortened(name)}</text>` : null}</a
    > `;
  });
  return markup`<div class="wide">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="${label}">
      ${vertical}${horizontal}${slope}${flat}${dots}
      <text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">
        floating-point operations for each byte of DRAM
      </text>
    </svg>
  </div> `;
}
