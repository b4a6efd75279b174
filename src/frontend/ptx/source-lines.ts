/** The lines of the source that the text was made of: .file and .loc (PTX ISA 8.5, 11.5). */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { TokenReader } from "./token-reader.ts";

export class SourceLines {
  readonly #tokens: TokenReader;
  readonly #files: Map<number, string> = new Map();
  /** The places so far, by their numbers: what is inlined names the place of its call. */
  readonly #places: Map<string, SourceLocation> = new Map();

  constructor(tokens: TokenReader) {
    this.#tokens = tokens;
  }

  /** .file 1 "a.cu", 1234, 56 */
  file(): void {
    const tokens = this.#tokens;
    tokens.next();
    const number = tokens.integer();
    let path = tokens.string();
    // Newer text has the folder first.
    if (tokens.peek().kind === "string") path = `${path}/${tokens.string()}`;
    this.#files.set(number, path);
    while (tokens.accept(",")) tokens.next();
  }

  /** .loc 1 12 3, function_name $name, inlined_at 1 20 5 */
  loc(): SourceLocation | null {
    const tokens = this.#tokens;
    tokens.next();
    const numbers = [tokens.integer(), tokens.integer(), tokens.integer()];
    let inlinedAt: SourceLocation | undefined;
    while (tokens.accept(",")) {
      const word = tokens.word();
      if (word === "function_name") {
        tokens.word();
        if (tokens.accept("+")) tokens.integer();
      } else if (word === "inlined_at") {
        const at = [tokens.integer(), tokens.integer(), tokens.integer()];
        inlinedAt = this.#places.get(at.join(" ")) ?? this.#place(at) ?? undefined;
      } else tokens.fail(`unknown word '${word}' in .loc`);
    }
    const place = this.#place(numbers);
    if (place === null) return null;
    const location = inlinedAt === undefined ? place : { ...place, inlinedAt };
    this.#places.set(numbers.join(" "), location);
    return location;
  }

  #place([file, line, column]: readonly number[]): SourceLocation | null {
    const path = this.#files.get(file ?? 0);
    return path === undefined || line === undefined || line === 0 ? null : { file: path, line, column: column ?? 0 };
  }
}
