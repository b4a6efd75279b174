/**
 * Constants of a host program that lose bits when Clang computes them: `const size_t n = (size_t)50000 * 50000 * 4;`.
 * Clang reports a constant that does not fit its type, but not an unsigned result that wraps, and no code runs that
 * could ask (hostlib/long_arithmetic.cpp).
 *
 * This reads the declarations of constants and enumerators from the source and the headers that it includes by "…",
 * and computes what is made of numbers, sizes and other such constants. All else has an unknown value.
 */
import type { CompileOptions, SourceFile } from "../../../program/compiled-program.ts";
import type { LostConstant } from "../../../program/lost-constants.ts";
import type { SourceReader } from "../../../store/source-reader.ts";
import { ConstantReader } from "./constant-reader.ts";
import { expandMacros, readTokens, type Macros, type Token } from "./source-tokens.ts";
import { boolValue, binary, convert, literalValue, type NumberType, type WideValue } from "./wide-values.ts";

/** Sources that have no such declaration are not read. */
const DECLARATION = /\b(?:const|constexpr|enum)\b/;

export function lostConstants(
  source: SourceFile,
  options: Pick<CompileOptions, "defines" | "includePaths" | "model">,
  reader: SourceReader | null,
): readonly LostConstant[] {
  if (options.model === "lp64" || source.path.startsWith("/heddle/") || !DECLARATION.test(source.text)) return [];
  const macros: Macros = new Map();
  for (const one of options.defines) {
    const [name = "", text = "1"] = one.split(/=(.*)/s);
    macros.set(name, readTokens(source.path, text, new Map(), new Set()).tokens);
  }
  const fixed = new Set(macros.keys());
  const tokens: Token[] = [];
  const seen = new Set<string>();
  const read = (path: string, text: string): void => {
    seen.add(path);
    const file = readTokens(path, text, macros, fixed);
    const folder = path.replace(/[^/]*$/, "");
    for (const name of file.included) {
      for (const place of [folder, ...options.includePaths.map((one) => `${one}/`)]) {
        const bytes = seen.has(place + name) ? null : (reader?.readFile(place + name) ?? null);
        if (bytes === null) continue;
        read(place + name, new TextDecoder().decode(bytes));
        break;
      }
    }
    tokens.push(...file.tokens);
  };
  read(source.path, source.text);
  const scan = new Scan(expandMacros(tokens, macros));
  scan.run();
  return scan.found;
}

interface Scope {
  /** Of a class or a namespace. */
  readonly name: string | null;
  /** null: something else has this name, or it has several values. */
  readonly constants: Map<string, WideValue | null>;
}

class Scan {
  readonly found: LostConstant[] = [];
  readonly #tokens: readonly Token[];
  readonly #scopes: Scope[] = [{ name: null, constants: new Map() }];
  readonly #types = new Map<string, NumberType>();
  /** The class or namespace whose `{` comes next. */
  #opening: string | null = null;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  run(): void {
    let isStart = true;
    for (let at = 0; at < this.#tokens.length;) {
      const { text } = this.#tokens[at] as Token;
      const next = isStart ? this.#statement(at) : null;
      if (next !== null) {
        at = next;
        continue;
      }
      if (text === "{") this.#open();
      else if (text === "}") this.#close();
      else if (text === ";") this.#opening = null;
      this.#shadow(at);
      // After a label, an attribute or a template's parameters a declaration may follow, too.
      isStart = /^[;{}):>(]$/.test(text);
      at++;
    }
  }

  #open(): void {
    this.#scopes.push({ name: this.#opening, constants: new Map() });
    this.#opening = null;
  }

  /** Constants of a class are known by their full names afterwards. */
  #close(): void {
    if (this.#scopes.length === 1) return;
    const { name, constants } = this.#scopes.pop() as Scope;
    if (name !== null) for (const [key, value] of constants) this.#declare(`${name}::${key}`, value);
  }

  /** A declaration of constants, an enumeration or a name for a type at this place: where it ends. Null: none. */
  #statement(at: number): number | null {
    const text = this.#tokens[at]?.text ?? "";
    const after = this.#tokens[at + 1];
    if (/^(?:struct|class|namespace|union)$/.test(text) && after?.kind === "name") {
      this.#opening = after.text;
      return at + 2;
    }
    if (text === "enum") return this.#enumeration(at);
    if (text === "using" || text === "typedef") return this.#typeName(at);
    const reader = this.#reader(at);
    const declared = reader.type();
    if (declared === null || !declared.isConstant) return null;
    const start = reader.at;
    for (;;) {
      const name = reader.token;
      if (name?.kind !== "name") return null;
      reader.at++;
      const close = reader.take("{") ? "}" : "";
      if (close === "" && !reader.take("=")) return null;
      const value = reader.take("{") ? this.#braced(reader) : reader.expression();
      const isWhole = value !== null && (close === "" || reader.take(close)) && /^[;,]$/.test(reader.token?.text ?? "");
      // Skipped like any other code, after its name.
      if (!isWhole) {
        this.#declare(name.text, null);
        return start + 1;
      }
      this.#constant(name, declared.type === "auto" ? value : convert(value, declared.type));
      if (!reader.take(",")) return reader.at;
    }
  }

  #braced(reader: ConstantReader): WideValue | null {
    const value = reader.expression();
    return value !== null && reader.take("}") ? value : null;
  }

  #enumeration(at: number): number | null {
    const reader = this.#reader(at + 1);
    const isClass = reader.take("class") || reader.take("struct");
    const name = reader.token?.kind === "name" ? reader.token.text : null;
    if (name !== null) reader.at++;
    const type = reader.take(":") ? (reader.type()?.type ?? null) : null;
    if (type === "auto" || !reader.take("{")) return null;
    let next: WideValue | null = boolValue(false);
    while (reader.token?.kind === "name") {
      const { token } = reader;
      reader.at++;
      if (reader.take("=")) next = reader.expression();
      if (next === null || !/^[,}]$/.test(reader.token?.text ?? "")) return null;
      const value = type === null ? next : convert(next, type);
      const full = isClass ? { ...token, text: `${name}::${token.text}` } : token;
      this.#constant(full, value);
      next = binary("+", value, literalValue("1") as WideValue);
      reader.take(",");
    }
    return reader.at;
  }

  /** `using index_t = long;`, `typedef unsigned long index_t;`: what is already known under the name stays. */
  #typeName(at: number): number | null {
    const reader = this.#reader(at + 1);
    const isUsing = this.#tokens[at]?.text === "using";
    const before = isUsing ? reader.token : undefined;
    if (isUsing) {
      reader.at++;
      if (!reader.take("=")) return null;
    }
    const type = reader.type()?.type ?? null;
    const name = before ?? reader.token;
    if (!isUsing) reader.at++;
    if (type === null || type === "auto" || name?.kind !== "name" || reader.token?.text !== ";") return null;
    this.#types.set(name.text, { ...type, name: name.text });
    return reader.at;
  }

  /** A parameter or a variable with a constant's name hides it. */
  #shadow(at: number): void {
    const [before, token, after] = [this.#tokens[at - 1], this.#tokens[at], this.#tokens[at + 1]];
    if (token?.kind !== "name" || before === undefined || this.#constantNamed(token.text) === undefined) return;
    const isDeclared = before.kind === "name" ? before.text !== "return" : /^[*&>]$/.test(before.text);
    if (isDeclared && /^[,)=;{[:>]$/.test(after?.text ?? "")) this.#innermost.constants.set(token.text, null);
  }

  #constant(name: Token, value: WideValue): void {
    this.#declare(name.text, value);
    const { lost, there, here } = value;
    if (lost === null || typeof there.value !== "bigint" || typeof here.value !== "bigint") return;
    if (there.value === here.value) return;
    const { file, line, column } = name;
    this.found.push({
      location: { file, line, column },
      text: lost,
      exact: there.value,
      left: Number(BigInt.asUintN(32, here.value)),
    });
  }

  /** In branches of #if a name may have several values: then none is known. */
  #declare(name: string, value: WideValue | null): void {
    const { constants } = this.#innermost;
    const known = constants.get(name);
    const isOther = known !== undefined && known?.there.value !== value?.there.value;
    constants.set(name, isOther ? null : value);
  }

  get #innermost(): Scope {
    return this.#scopes.at(-1) as Scope;
  }

  #constantNamed(name: string): WideValue | null | undefined {
    return this.#scopes.findLast(({ constants }) => constants.has(name))?.constants.get(name);
  }

  #reader(at: number): ConstantReader {
    return new ConstantReader(this.#tokens, at, {
      constant: (name) => this.#constantNamed(name) ?? null,
      type: (name) => this.#types.get(name) ?? null,
    });
  }
}

/** Lines of a compiler's report. */
export function lostConstantLines(constants: readonly LostConstant[], warnings: string): string {
  const said = new Set<string>();
  return constants
    .filter(({ location: { file, line }, text }) => {
      // Clang has reported the place, or a constant is made of another one.
      if (warnings.includes(`${file}:${line}:`) || said.has(text)) return false;
      said.add(text);
      return true;
    })
    .map(({ location: { file, line, column }, text }) => `${file}:${line}:${column}: warning: ${text}\n`)
    .join("");
}
