/** Goes through the words of a text, and reports what stands where something else should. */
import { parseNumber } from "../../ir/inline-ptx/syntax.ts";
import { tokenize, type PtxText, type PtxToken } from "./tokens.ts";

export class TokenReader {
  readonly source: PtxText;
  readonly #tokens: readonly PtxToken[];
  #position = 0;

  constructor(source: PtxText) {
    this.source = source;
    this.#tokens = tokenize(source);
  }

  get position(): number {
    return this.#position;
  }
  /** The token at a position that was read before. */
  at(position: number): PtxToken {
    return this.#tokens[Math.min(position, this.#tokens.length - 1)] as PtxToken;
  }
  peek(ahead = 0): PtxToken {
    return this.at(this.#position + ahead);
  }
  next(): PtxToken {
    const token = this.peek();
    this.#position++;
    return token;
  }
  accept(text: string): boolean {
    const token = this.peek();
    if (token.text !== text || token.kind === "string" || token.kind === "end") return false;
    this.#position++;
    return true;
  }
  expect(text: string): void {
    const { kind, text: found } = this.peek();
    if (!this.accept(text))
      this.fail(`expected '${text}', not ${kind === "end" ? "the end of the text" : `'${found}'`}`);
  }
  word(): string {
    const { kind, text, at } = this.next();
    return kind === "word" ? text : this.fail(`expected a name, not ${kind === "end" ? "the end" : `'${text}'`}`, at);
  }
  integer(): number {
    const { kind, text, at } = this.next();
    const number = kind === "number" ? parseNumber(text) : null;
    return number?.kind === "int" ? Number(number.value) : this.fail(`expected a number, not '${text}'`, at);
  }
  string(): string {
    const { kind, text, at } = this.next();
    return kind === "string" ? text : this.fail(`expected a text in quotes, not '${text}'`, at);
  }
  skipStatement(): void {
    while (this.peek().kind !== "end" && !this.accept(";")) this.#position++;
  }
  skipParentheses(): void {
    this.expect("(");
    for (let depth = 1; depth > 0;) {
      const { text, kind, at } = this.next();
      if (kind === "end") this.fail("')' is missing", at);
      if (text === "(") depth++;
      else if (text === ")") depth--;
    }
  }
  fail(message: string, at: number = this.peek().at): never {
    throw this.source.error(at, message);
  }
}
