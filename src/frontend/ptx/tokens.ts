/** The words of PTX text (PTX ISA 8.5, 4.2 to 4.5), with their places. */
import { HeddleError, type SourceLocation } from "../../base/diagnostics.ts";

export interface PtxToken {
  /** A word keeps its dots and double colons: ld.global.f32, %tid.x, .reg, L1::evict_last. */
  readonly kind: "word" | "number" | "string" | "punctuation" | "end";
  readonly text: string;
  /** Its offset in the text. */
  readonly at: number;
}

/** The text of a module, and where its lines begin. */
export class PtxText {
  readonly name: string;
  readonly text: string;
  #lines: readonly number[] | null = null;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  location(at: number): SourceLocation {
    this.#lines ??= lineStarts(this.text);
    let [low, high] = [0, this.#lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lines[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return { file: this.name, line: low + 1, column: at - (this.#lines[low] as number) + 1 };
  }

  /** What is wrong with the text, at its place. */
  error(at: number, message: string): HeddleError {
    const location = this.location(at);
    const place = `${location.file}:${location.line}:${location.column}`;
    return new HeddleError("compile-error", `${place}: ${message}`, { location });
  }

  /** What Heddle does not have. */
  unsupported(at: number, what: string): HeddleError {
    const location = this.location(at);
    const place = `${location.file}:${location.line}:${location.column}`;
    return new HeddleError("unsupported", `${place}: ${what} is not supported yet`, { location });
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Sticky expressions, tried in turn. */
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/|\0)+/y;
const NUMBERS = [
  "0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", // the bits of a float or double
  "0[xX][0-9a-fA-F]+U?|0[bB][01]+U?",
  "\\d+(?:\\.\\d*)?(?:[eE][-+]?\\d+)?U?",
];
const NUMBER = new RegExp(`(?:${NUMBERS.join("|")})(?![\\w$])`, "y");
/** A type may begin with a digit behind its dot: .2d, tex.2d. */
const WORD = /[.]?[A-Za-z_%$][\w$]*(?:(?:\.|::)[\w$]+)*/y;
const STRING = /"[^"\n]*"/y;
const PUNCTUATION = "{}[]();:,@!|+-<>=*/~&";

/** Throws HeddleError at a character that begins nothing. */
export function tokenize(source: PtxText): PtxToken[] {
  const { text } = source;
  const tokens: PtxToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  while (at < text.length) {
    let found = match(SPACE);
    if (found !== null) {
      at += found.length;
      continue;
    }
    if ((found = match(NUMBER)) !== null) tokens.push({ kind: "number", text: found, at });
    else if ((found = match(WORD)) !== null) tokens.push({ kind: "word", text: found, at });
    else if ((found = match(STRING)) !== null) tokens.push({ kind: "string", text: found.slice(1, -1), at });
    else if (PUNCTUATION.includes(text[at] as string))
      tokens.push({ kind: "punctuation", text: (found = text[at] as string), at });
    else throw source.error(at, `unexpected character ${JSON.stringify(text[at])}`);
    at += found.length;
  }
  tokens.push({ kind: "end", text: "", at });
  return tokens;
}
