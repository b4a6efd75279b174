/** Some lines of a source around one that something is said of. */
import { markup, type Html } from "./markup.ts";

export interface ExcerptParts {
  /** As it is shown: "src/sum.cu:12:5, in sum". */
  readonly place: string;
  /** Of the file; null: it cannot be read. */
  readonly lines: readonly string[] | null;
  /** The line that is marked, from 1. */
  readonly line: number;
  /** From 1; 0: not known. */
  readonly column: number;
}

/** Lines before and behind the marked one. */
const CONTEXT = 3;

export function excerpt({ place, lines, line, column }: ExcerptParts): Html {
  const heading = markup`<p class="mono place">${place}</p>`;
  if (lines === null || line < 1 || line > lines.length) return heading;
  const first = Math.max(1, line - CONTEXT);
  const shown = lines.slice(first - 1, line + CONTEXT);
  const rows = shown.map((text, i) => {
    const number = first + i;
    const isMarked = number === line;
    return markup`<tr${isMarked ? markup` class="mark" aria-current="true"` : null}><td class="number">${number}</td><td
      class="text mono">${isMarked ? marked(text, column) : text}</td></tr>`;
  });
  return markup`${heading}<div class="source" tabindex="0" role="region" aria-label="Source at ${place}"><table><tbody>
    ${rows}
  </tbody></table></div>`;
}

/** The word at the column stands out. */
function marked(text: string, column: number): Html {
  if (column < 1 || column > text.length) return markup`${text}`;
  const word = /^(?:\w+|[^\w\s]+)/.exec(text.slice(column - 1))?.[0] ?? "";
  const end = column - 1 + word.length;
  return markup`${text.slice(0, column - 1)}<mark>${text.slice(column - 1, end)}</mark>${text.slice(end)}`;
}
