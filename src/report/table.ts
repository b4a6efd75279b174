/** Tables, and figures beside one another. */
import { Html, markup, type HtmlValue } from "./markup.ts";

export interface Column {
  readonly title: string;
  /** Text stands left, numbers right. */
  readonly isText?: boolean;
  /** Sentences: lines are broken. */
  readonly isProse?: boolean;
}

/** What a cell shows; with `sort`, what it is sorted by. */
export type Cell = HtmlValue | { readonly show: HtmlValue; readonly sort: number | string; readonly tone?: Tone };
export type Tone = "good" | "bad" | "muted";

export interface TableParts {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly caption?: string;
  /** A click on a heading sorts. */
  readonly sortable?: boolean;
  readonly full?: boolean;
}

export function table({ columns, rows, caption, sortable = false, full = false }: TableParts): Html {
  const heads = columns.map(
    ({ title, isText = false }) =>
      markup`<th scope="col" ${classes({ isText })}>${sortable ? markup`<button>${title}</button>` : title}</th>`,
  );
  const body = rows.map(
    (row) =>
      markup`<tr>
        ${row.map((cell, i) => cellOf(cell, columns[i]))}
      </tr> `,
  );
  const names = [...(sortable ? ["sortable"] : []), ...(full ? ["full"] : [])].join(" ");
  return markup`<div class="wide">
    <table class="${names}">
      ${
        caption === undefined
          ? null
          : markup`<caption>
              ${caption}
            </caption>`
      }
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div> `;
}

function classes({ isText = false, isProse = false }: Partial<Column>, tone?: Tone): Html | null {
  const names = [...(isText ? ["text"] : []), ...(isProse ? ["prose"] : []), ...(tone === undefined ? [] : [tone])];
  return names.length === 0 ? null : markup` class="${names.join(" ")}"`;
}

function cellOf(cell: Cell, column: Column | undefined): Html {
  if (!isSorted(cell)) return markup`<td${classes(column ?? {})}>${cell}</td>`;
  return markup`<td${classes(column ?? {}, cell.tone)} data-sort="${cell.sort}">${cell.show}</td>`;
}

function isSorted(cell: Cell): cell is Exclude<Cell, HtmlValue> {
  return typeof cell === "object" && cell !== null && "show" in cell;
}

export interface Tile {
  readonly name: string;
  readonly value: HtmlValue;
  /** What the value means, in small type. */
  readonly more?: HtmlValue;
}

/** Single figures, side by side. */
export function tiles(all: readonly Tile[]): Html {
  const each = all.map(
    ({ name, value, more = null }) =>
      markup`<div class="tile">
        <dt>${name}</dt>
        <dd>${value}${more === null ? null : markup`<small>${more}</small>`}</dd>
      </div>`,
  );
  return markup`<dl class="tiles">${each}</dl> `;
}
