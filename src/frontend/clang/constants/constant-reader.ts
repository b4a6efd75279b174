/** Reads constant expressions of C++ from tokens. What it does not know - calls, templates, members - is null. */
import type { Token } from "./source-tokens.ts";
import * as values from "./wide-values.ts";
import type { NumberType, WideValue } from "./wide-values.ts";

/** What the surroundings of an expression know. */
export interface Names {
  /** `count`, `Config::bytes`. */
  constant(name: string): WideValue | null;
  /** `index_t` after `using index_t = long;`. */
  type(name: string): NumberType | null;
}

const QUALIFIERS: ReadonlySet<string> = new Set(
  (
    "static inline const constexpr extern volatile thread_local register typename " +
    "__device__ __host__ __constant__ __managed__ __shared__"
  ).split(" "),
);
const CASTS: ReadonlySet<string> = new Set(["static_cast", "const_cast", "reinterpret_cast"]);

export class ConstantReader {
  readonly #tokens: readonly Token[];
  readonly #names: Names;
  at: number;

  constructor(tokens: readonly Token[], at: number, names: Names) {
    this.#tokens = tokens;
    this.#names = names;
    this.at = at;
  }

  get token(): Token | undefined {
    return this.#tokens[this.at];
  }

  /** Steps over a token with this text. */
  take(text: string): boolean {
    if (this.token?.text !== text) return false;
    this.at++;
    return true;
  }

  /** A type with its qualifiers; null, and at the same place: none that is known. */
  type(): { readonly type: NumberType | "auto"; readonly isConstant: boolean } | null {
    const start = this.at;
    const words: string[] = [];
    let isConstant = false;
    let found: NumberType | "auto" | null = null;
    for (;;) {
      const text = this.token?.text ?? "";
      if (QUALIFIERS.has(text)) {
        isConstant ||= text === "const" || text === "constexpr";
        this.at++;
      } else if (values.TYPE_WORDS.has(text) && found === null) {
        words.push(text);
        this.at++;
      } else if (words.length === 0 && found === null && text === "auto") {
        found = "auto";
        this.at++;
      } else if (words.length === 0 && found === null && text === "std" && this.#tokens[this.at + 1]?.text === "::") {
        this.at += 2;
      } else if (words.length === 0 && found === null && this.token?.kind === "name") {
        found = values.typeOf([text]) ?? this.#names.type(text);
        if (found === null) break;
        this.at++;
      } else break;
    }
    const type = found ?? values.typeOf(words);
    if (type === null) this.at = start;
    return type === null ? null : { type, isConstant };
  }

  expression(): WideValue | null {
    const condition = this.#binary(1);
    if (condition === null || !this.take("?")) return condition;
    const yes = this.expression();
    if (yes === null || !this.take(":")) return null;
    const no = this.expression();
    return no === null ? null : values.choose(condition, yes, no);
  }

  #binary(lowest: number): WideValue | null {
    let left = this.#unary();
    while (left !== null) {
      const sign = this.token?.text ?? "";
      const precedence = values.PRECEDENCE[sign];
      if (precedence === undefined || precedence < lowest) return left;
      this.at++;
      const right = this.#binary(precedence + 1);
      left = right === null ? null : values.binary(sign, left, right);
    }
    return null;
  }

  #unary(): WideValue | null {
    const { token } = this;
    if (token === undefined) return null;
    if (/^[-+~!]$/.test(token.text)) {
      this.at++;
      const operand = this.#unary();
      return operand === null ? null : values.unary(token.text, operand);
    }
    if (token.text === "(") {
      this.at++;
      const start = this.at;
      const type = this.#plainType();
      if (type !== null && this.take(")")) return this.#converted(this.#unary(), type);
      this.at = start;
      return this.#closed(this.expression(), ")");
    }
    if (token.text === "sizeof") return this.#sizeOf();
    return this.#primary(token);
  }

  #primary(token: Token): WideValue | null {
    if (token.kind === "number") {
      this.at++;
      return values.literalValue(token.text);
    }
    if (token.text === "true" || token.text === "false") {
      this.at++;
      return values.boolValue(token.text === "true");
    }
    if (CASTS.has(token.text)) {
      this.at++;
      const type = this.take("<") ? this.#plainType() : null;
      return type !== null && this.take(">") && this.take("(")
        ? this.#converted(this.#closed(this.expression(), ")"), type)
        : null;
    }
    const type = this.#plainType();
    if (type !== null) {
      const close = this.token?.text === "{" ? "}" : ")";
      this.at++;
      return this.#converted(this.#closed(this.expression(), close), type);
    }
    if (token.kind !== "name") return null;
    let name = token.text;
    this.at++;
    while (this.token?.text === "::" && this.#tokens[this.at + 1]?.kind === "name") {
      name += `::${this.#tokens[this.at + 1]?.text}`;
      this.at += 2;
    }
    // A call, an element, a template or a member of it.
    return /^(?:[([{.]|->|::)$/.test(this.token?.text ?? "") ? null : this.#names.constant(name);
  }

  /** A type of numbers, without `auto`. */
  #plainType(): NumberType | null {
    const start = this.at;
    const type = this.type()?.type ?? null;
    if (type !== null && type !== "auto" && this.token?.text !== "*" && this.token?.text !== "&") return type;
    this.at = start;
    return null;
  }

  #sizeOf(): WideValue | null {
    this.at++;
    if (!this.take("(")) return null;
    const words: string[] = [];
    for (; this.token !== undefined && this.token.text !== ")"; this.at++) words.push(this.token.text);
    if (!this.take(")")) return null;
    if (words.at(-1) === "*") return values.sizeValue(4);
    const plain = words.filter((word) => !QUALIFIERS.has(word) && word !== "std" && word !== "::");
    if (plain.length === 1 && plain[0] === "float") return values.sizeValue(4);
    const [only = ""] = plain;
    const type = values.typeOf(plain) ?? (plain.length === 1 ? this.#names.type(only) : null);
    return type === null ? null : values.sizeValue(values.bitsOf(type, "here") / 8);
  }

  #converted(value: WideValue | null, type: NumberType): WideValue | null {
    return value === null ? null : values.convert(value, type);
  }

  #closed(value: WideValue | null, close: string): WideValue | null {
    return value !== null && this.take(close) ? value : null;
  }
}
