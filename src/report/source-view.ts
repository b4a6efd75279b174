/** Source with figures and heat for each line. */
import { Html, markup } from "./markup.ts";

export interface SourceLine {
  readonly number: number;
  readonly text: string;
  /** One for each column of figures. */
  readonly figures: readonly string[];
  /** One for each kind of heat, from 0 to 1. */
  readonly heat: readonly number[];
  /** Below the line. */
  readonly notes: readonly string[];
}

export interface SourceParts {
  /** Unique on the page. */
  readonly id: string;
  readonly file: string;
  readonly columns: readonly string[];
  /** What the heat of a line may show. */
  readonly heats: readonly string[];
  readonly lines: readonly SourceLine[];
}

export function sourceView({ id, file, columns, heats, lines }: SourceParts): Html {
  const choice = heats.map(
    (name, i) => markup`<button data-index="${i}" aria-pressed="${i === 0 ? "true" : "false"}">${name}</button>`,
  );
  let before: number | null = null;
  const rows = lines.map((line) => {
    const gap = before !== null && line.number > before + 1;
    before = line.number;
    return markup`${
      gap
        ? markup`<tr>
            <td class="number">⋮</td>
          </tr> `
        : null
    }${rowOf(id, line, columns.length)}`;
  });
  return markup`<div class="choice" data-of="${id}" role="group" aria-label="Heat shows">
      <span class="muted">Heat shows</span>${choice}
    </div>
    <div class="source" id="${id}" tabindex="0" role="region" aria-label="Source of ${file}">
      <table>
        <thead>
          <tr>
            <th>line</th>
            ${columns.map((name) => markup`<th>${name}</th>`)}
            <th class="text">${file}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div> `;
}

function rowOf(id: string, { number, text, figures, heat, notes }: SourceLine, columns: number): Html {
  const hot = heat[0] ?? 0;
  const notesRow = notes.map(
    (note) =>
      markup`<tr class="note">
        <td></td>
        <td colspan="${columns + 1}"><span>↑ ${note}</span></td>
      </tr> `,
  );
  return markup`<tr
      id="${id}-${number}"
      data-heat="${JSON.stringify(heat.map((value) => Number(value.toFixed(3))))}"
      ${hot > 0 ? markup` class="hot" style="--h:${hot.toFixed(3)}"` : null}
    >
      <td class="number">${number}</td>
      ${figures.map((figure) => markup`<td>${figure}</td>`)}
      <td class="text mono">${text}</td>
    </tr>
    ${notesRow}`;
}
