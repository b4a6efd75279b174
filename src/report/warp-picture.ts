/** Which thread of a warp touches which sector of memory, or which bank of shared memory. */
import { markup, type Html } from "./markup.ts";

export interface WarpPicture {
  /** What is drawn, for those who do not see it. */
  readonly label: string;
  /** By thread: the cell that it touches; null: it takes no part. */
  readonly cellOf: readonly (number | null)[];
  readonly cells: readonly PictureCell[];
  /** What a cell is: "sector", "bank". */
  readonly unit: string;
}

export interface PictureCell {
  /** For the pointer: where it lies, how it is used. */
  readonly title: string;
  /** The used part of it, from 0 to 1. */
  readonly used: number;
  /** Below the cell. */
  readonly text: string;
}

const WIDTH = 680;
const LEFT = 70;
const SIZE = 14;
const THREADS_Y = 10;
const LINES_Y: number = THREADS_Y + SIZE;
const CELLS_Y = 84;
const HEIGHT = 118;

export function warpPicture({ label, cellOf, cells, unit }: WarpPicture): Html {
  const xOf = (index: number, count: number): number => LEFT + (index + 0.5) * ((WIDTH - LEFT) / count);
  const width = Math.min(80, (WIDTH - LEFT) / cells.length - 2);
  const lines = cellOf.map((cell, lane) => {
    if (cell === null) return null;
    const [from, to] = [xOf(lane, cellOf.length).toFixed(1), xOf(cell, cells.length).toFixed(1)];
    return markup`<line class="thread" x1="${from}" y1="${LINES_Y}" x2="${to}" y2="${CELLS_Y}" />`;
  });
  const threads = cellOf.map((cell, lane) => {
    const x = xOf(lane, cellOf.length) - SIZE / 2;
    const title = cell === null ? `thread ${lane} takes no part` : `thread ${lane}: ${unit} ${cell}`;
    return markup`<rect class="${cell === null ? "untouched" : "touched"}" x="${x.toFixed(1)}" y="${THREADS_Y}"
      width="${SIZE}" height="${SIZE}"><title>${title}</title></rect>`;
  });
  const boxes = cells.map(({ title, used, text }, i) => {
    const middle = xOf(i, cells.length);
    const x = (middle - width / 2).toFixed(1);
    const full = (width * used).toFixed(1);
    return markup`<rect class="untouched" x="${x}" y="${CELLS_Y}" width="${width.toFixed(1)}" height="${SIZE}" />
      <rect class="touched" x="${x}" y="${CELLS_Y}" width="${full}" height="${SIZE}"><title>${title}</title></rect>
      <text class="muted" x="${middle.toFixed(1)}" y="${HEIGHT - 4}" text-anchor="middle">${text}</text>`;
  });
  return markup`<div class="wide">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
      <text x="0" y="${THREADS_Y + 11}">threads</text>
      <text x="0" y="${CELLS_Y + 11}">${unit}s</text>
      ${lines}${threads}${boxes}
    </svg>
  </div> `;
}
