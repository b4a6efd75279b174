/**
 * Excerpts of a module's text: what a few of its symbols need, without reading the rest.
 *
 * A program calls ten of a device library's five hundred functions, and reading five hundred signatures costs more than
 * the ten functions. The text is cut at its lines, not parsed: every definition begins at the start of a line, and a
 * function's body ends with a brace at the start of one, as LLVM and printModule write it.
 */
import { quoteName } from "../model/types.ts";

interface Entity {
  readonly start: number;
  readonly end: number;
}

const SYMBOL = /@(?:"[^"]*"|[-\w$.]+)/g;

export class ModuleText {
  readonly #text: string;
  /** Definitions and declarations by name, as the text spells it: `@f`, `@"a b"`. */
  readonly #entities = new Map<string, Entity>();
  /** Everything else: types, attributes, metadata. Always part of an excerpt. */
  readonly #others: Entity[] = [];

  constructor(text: string) {
    this.#text = text;
    for (let start = 0; start < text.length;) {
      const end = entityEnd(text, start);
      const name = /^(?:@|define\b|declare\b)/.test(text.slice(start, start + 8))
        ? firstSymbol(text.slice(start, end))
        : null;
      if (name !== null) this.#entities.set(name, { start, end });
      else if (end > start + 1) this.#others.push({ start, end });
      start = end;
    }
  }

  /** The text of these symbols and of all that they refer to. Names that the module does not have are passed over. */
  excerpt(names: Iterable<string>): string {
    const wanted = new Map<string, Entity>();
    const work = Array.from(names, (name) => `@${quoteName(name)}`);
    for (let name = work.pop(); name !== undefined; name = work.pop()) {
      const entity = this.#entities.get(name);
      if (entity === undefined || wanted.has(name)) continue;
      wanted.set(name, entity);
      for (const [symbol] of this.#text.slice(entity.start, entity.end).matchAll(SYMBOL))
        if (!wanted.has(symbol)) work.push(symbol);
    }
    const kept = [...this.#others, ...wanted.values()].sort((a, b) => a.start - b.start);
    return kept.map(({ start, end }) => this.#text.slice(start, end)).join("");
  }
}

/** One line, or a function to its closing brace; past the line's end. */
function entityEnd(text: string, start: number): number {
  const lineEnd = text.indexOf("\n", start);
  if (lineEnd < 0) return text.length;
  if (!text.startsWith("define", start) || !text.slice(start, lineEnd).trimEnd().endsWith("{")) return lineEnd + 1;
  const brace = text.indexOf("\n}", lineEnd - 1);
  const after = brace < 0 ? -1 : text.indexOf("\n", brace + 1);
  return after < 0 ? text.length : after + 1;
}

function firstSymbol(definition: string): string | null {
  return /@(?:"[^"]*"|[-\w$.]+)/.exec(definition)?.[0] ?? null;
}
