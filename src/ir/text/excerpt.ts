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

/** A symbol, or a node of metadata. */
const REFERENCE = /@(?:"[^"]*"|[-\w$.]+)|!\d+\b/g;

export class ModuleText {
  readonly #text: string;
  /** Definitions and declarations by name, as the text spells it: `@f`, `@"a b"`; nodes of metadata: `!7`. */
  readonly #entities = new Map<string, Entity>();
  /** Everything else: types, attributes, metadata with names. Always part of an excerpt. */
  readonly #others: Entity[] = [];
  /** What a symbol's definition refers to, once it has been asked for. */
  readonly #references = new Map<string, readonly string[]>();

  constructor(text: string) {
    this.#text = text;
    for (let start = 0; start < text.length;) {
      const end = entityEnd(text, start);
      const name = nameAt(text, start, end);
      if (name !== null) this.#entities.set(name, { start, end });
      else if (end > start + 1) this.#others.push({ start, end });
      start = end;
    }
  }

  /** The text of these symbols and of all that they refer to. Names that the module does not have are passed over. */
  excerpt(names: Iterable<string>): string {
    const kept = [...this.#others, ...this.#needed(names).values()].sort((a, b) => a.start - b.start);
    return kept.map(({ start, end }) => this.#text.slice(start, end)).join("");
  }

  /** All symbols of the module. */
  symbols(): string[] {
    return namesOf(this.#entities.keys());
  }

  /** These symbols and all that they refer to, as far as the module has them. */
  needed(names: Iterable<string>): string[] {
    return namesOf(this.#needed(names).keys());
  }

  /** The first line of a symbol's definition or declaration; null if the module has none. */
  firstLine(name: string): string | null {
    const entity = this.#entities.get(`@${quoteName(name)}`);
    return entity === undefined ? null : this.#text.slice(entity.start, this.#text.indexOf("\n", entity.start));
  }

  #needed(names: Iterable<string>): Map<string, Entity> {
    const wanted = new Map<string, Entity>();
    const work = Array.from(names, (name) => `@${quoteName(name)}`);
    for (const { start, end } of this.#others)
      if (this.#text[start] === "!") work.push(...(this.#text.slice(start, end).match(REFERENCE) ?? []));
    for (let name = work.pop(); name !== undefined; name = work.pop()) {
      const entity = this.#entities.get(name);
      if (entity === undefined || wanted.has(name)) continue;
      wanted.set(name, entity);
      for (const symbol of this.#symbolsIn(name, entity)) if (!wanted.has(symbol)) work.push(symbol);
    }
    return wanted;
  }

  #symbolsIn(name: string, { start, end }: Entity): readonly string[] {
    let found = this.#references.get(name);
    if (found === undefined) {
      const matches = this.#text.slice(start, end).match(REFERENCE) ?? [];
      // Metadata tells of functions, and needs none.
      const needed = name.startsWith("!") ? matches.filter((match) => match.startsWith("!")) : matches;
      this.#references.set(name, (found = [...new Set(needed)]));
    }
    return found;
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

/** The name of what is defined or declared here, as the text spells it. */
function nameAt(text: string, start: number, end: number): string | null {
  const head = text.slice(start, start + 8);
  if (/^!\d/.test(head)) return /^!\d+/.exec(text.slice(start, end))?.[0] ?? null;
  return /^(?:@|define\b|declare\b)/.test(head)
    ? (/@(?:"[^"]*"|[-\w$.]+)/.exec(text.slice(start, end))?.[0] ?? null)
    : null;
}

/** Names without the sign and the quotes of the text; not of metadata. */
function namesOf(spelled: Iterable<string>): string[] {
  return Array.from(spelled).flatMap((name) => {
    if (name.startsWith("!")) return [];
    return name.startsWith('@"') ? name.slice(2, -1) : name.slice(1);
  });
}
