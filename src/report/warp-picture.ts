/** Which thread of a warp touches which sector of memory, or which bank of shared memory. */
import { markup, type Html } from "./markup.ts";

export interface WarpPicture {
  /** What is drawn, for those who do not see it. */
  readonly label: string;
  /** By thread: the cell that it touches, from 0; null: it takes no part. */
  readonly cells: readonly (number | null)[];
  /** How many cells are drawn. */
  readonly count: number;
  /** "sector", "bank". */
  readonly unit: string;
  /** Touches of each cell, one after the other, where that matters: conflicts of a bank. */
  readonly turns: readonly number[] | null;
}

const WIDTH = 640;
const LEFT = 70;
const CELL = 14;
const HEIGHT = 110;

export function warpPicture({ label, cells, count, unit, turns }: WarpPicture): Html {
  const threadX = (lane: number): number => LEFT + (lane + 0.5) * ((WIDTH - LEFT) / cells.length);
  const cellX = (cell: number): number => LEFT + (cell + 0.5) * ((WIDTH - LEFT) / count);
  const wide = Math.max(1, (WIDTH - LEFT) / count - 1);
  const touched = new Set(cells.filter((cell) => cell !== null));
  const lines = cells.flatMap((cell, lane) =>
    cell === null
      ? []
      : [
          markup`<line class="thread" x1="${threadX(lane).toFixed(1)}" y1="24" x2="${cellX(cell).toFixed(1)}" y2="76" />
`,
        ],
  );
  const threads = cells.map(
    (
      cell,
      lane,
    ) => markup`<rect class="${cell === null ? "untouched" : "touched"}" x="${(threadX(lane) - CELL / 2).toFixed(1)}" y="12" width="${CELL}" height="12"><title>thread ${lane}${cell === null ? " takes no part" : `: ${unit} ${cell}`}</title></rect>
`,
  );
  const boxes = Array.from({ length: count }, (_, cell) => {
    const times = turns?.[cell] ?? 0;
    const title = `${unit} ${cell}${touched.has(cell) ? "" : " is not touched"}${times > 1 ? `: ${times} turns` : ""}`;
    return markup`<rect class="${touched.has(cell) ? "touched" : "untouched"}" x="${(cellX(cell) - wide / 2).toFixed(1)}" y="76" width="${wide.toFixed(1)}" height="14"><title>${title}</title></rect>
${times > 1 ? markup`<text x="${cellX(cell).toFixed(1)}" y="104" text-anchor="middle">${times}</text>` : null}`;
  });
  return markup`<div class="wide"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
<text x="0" y="22">threads</text><text x="0" y="87">${unit}s</text>
${lines}${threads}${boxes}</svg></div>
`;
}
