/**
 * Reads the template of an inline assembly statement into PTX instructions (PTX ISA 8.5, chapter 4 "Syntax" and 5.4
 * "Variables"; "Inline PTX Assembly in CUDA" for the operands). The template is as LLVM IR has it: `$0` or `${0}` for
 * operand 0, `$$` for a dollar.
 *
 * Register names are resolved here: every `.reg` of every scope gets an entry of its own in `registers`, so that what
 * follows needs no scopes. Only declarations of registers are accepted; memory declared in a template is unsupported,
 * and says so.
 */
import { unsupported, type SourceLocation } from "../../base/diagnostics.ts";

/** A register declared in the template; `type` without the dot: b32, f32, pred … */
export interface PtxRegister {
  readonly name: string;
  readonly type: string;
}

export type PtxOperand =
  | { readonly kind: "asm"; readonly index: number }
  | { readonly kind: "register"; readonly register: PtxRegister }
  | { readonly kind: "special"; readonly name: string } // %laneid, %tid.x … without the percent sign
  | { readonly kind: "int"; readonly value: bigint }
  /** `bits` in the IEEE format of `width` bits. A decimal literal is given as a double. */
  | { readonly kind: "float"; readonly width: 32 | 64; readonly bits: bigint }
  | { readonly kind: "vector"; readonly elements: readonly PtxOperand[] }
  /** `coordinates`: those in the tensor that `base` describes, of a copy of a tile; null without. */
  | {
      readonly kind: "address";
      readonly base: PtxOperand;
      readonly offset: bigint;
      readonly coordinates: readonly PtxOperand[] | null;
    }
  | { readonly kind: "pair"; readonly first: PtxOperand; readonly second: PtxOperand } // p|q
  | { readonly kind: "not"; readonly operand: PtxOperand } // !p
  | { readonly kind: "negative"; readonly operand: PtxOperand } // -r, only in front of operands of the template
  // r.b0, r.h10: parts of a word, of video instructions
  | { readonly kind: "selected"; readonly operand: PtxOperand; readonly selector: string }
  | { readonly kind: "label"; readonly name: string }
  /** A variable or a function of a module in PTX; `variable` is that of the function, else null. */
  | { readonly kind: "symbol"; readonly name: string; readonly variable: { readonly name: string } | null }
  | { readonly kind: "sink" }; // _

export interface PtxInstruction {
  readonly kind: "instruction";
  /** null: always. */
  readonly guard: { readonly operand: PtxOperand; readonly negated: boolean } | null;
  /** `ld.global.v4.f32` in parts: ["ld", "global", "v4", "f32"]. */
  readonly opcode: readonly string[];
  readonly operands: readonly PtxOperand[];
  readonly text: string;
}
export interface PtxLabel {
  readonly kind: "label";
  readonly name: string;
}
export type PtxStatement = PtxInstruction | PtxLabel;

export interface PtxProgram {
  readonly statements: readonly PtxStatement[];
  readonly registers: readonly PtxRegister[];
}

interface Token {
  readonly kind: "word" | "asm" | "number" | "punctuation" | "end";
  readonly text: string;
  readonly at: number;
}

/** Special registers (PTX ISA 8.5, chapter 10), as parts of a regular expression. */
const SPECIAL_NAMES = [
  "tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid",
  "clock|clock_hi|clock64|globaltimer|globaltimer_lo|globaltimer_hi",
  "lanemask_\\w+|clusterid|nclusterid|cluster_\\w+|is_explicit_cluster",
  "dynamic_smem_size|total_smem_size|aggr_smem_size|envreg\\d+|pm\\d",
];
export const SPECIAL: RegExp = new RegExp(`^%(?:${SPECIAL_NAMES.join("|")})(?:\\.[xyz])?$`);

/** Registers that are vectors (PTX ISA 8.5, "Vectors"), and the two names of each member. */
const VECTOR_WIDTHS: Readonly<Record<string, number | undefined>> = { v2: 2, v4: 4 };
const MEMBERS = [
  [".x", ".r"],
  [".y", ".g"],
  [".z", ".b"],
  [".w", ".a"],
] as const;

export const SELECTOR: RegExp = /\.(?:h[0-3]{1,2}|b[0-7]{1,4})$/;

/** Throws HeddleError("unsupported") with the template's text where it is not PTX that we read. */
export function parsePtx(template: string, location: SourceLocation | null = null): PtxProgram {
  return new PtxParser(template, location).parse();
}

class PtxParser {
  readonly #tokens: Token[];
  readonly #location: SourceLocation | null;
  readonly #template: string;
  #position = 0;
  readonly #scopes: Map<string, PtxRegister>[] = [new Map()];
  /** Names of labels are local to their braces as well: the innermost scope that declares one has it. */
  readonly #labelScopes: Map<string, string>[] = [];
  readonly #registers: PtxRegister[] = [];
  readonly #statements: PtxStatement[] = [];
  #labels = 0;

  constructor(template: string, location: SourceLocation | null) {
    // A number that is unique in the function (`%=`) only serves to tell labels of several expansions apart.
    this.#template = template.replace(/\$\{:uid\}/g, "u").replace(/\$\$/g, "_dollar_");
    this.#location = location;
    this.#tokens = tokenize(this.#template, () => this.#fail());
  }

  parse(): PtxProgram {
    this.#labelScopes.push(this.#labelsAhead());
    let depth = 0;
    for (;;) {
      const token = this.#peek();
      if (token.kind === "end") break;
      if (this.#accept(";")) continue;
      if (this.#accept("{")) {
        depth++;
        this.#scopes.push(new Map());
        this.#labelScopes.push(this.#labelsAhead());
      } else if (this.#accept("}")) {
        if (--depth < 0) this.#fail();
        this.#scopes.pop();
        this.#labelScopes.pop();
      } else if (token.kind === "word" && token.text.startsWith(".")) this.#directive();
      else if (token.kind === "word" && this.#peek(1).text === ":") {
        this.#position += 2;
        this.#statements.push({ kind: "label", name: this.#label(token.text) ?? this.#fail() });
      } else this.#instruction();
    }
    if (depth !== 0) this.#fail();
    return { statements: this.#statements, registers: this.#registers };
  }

  #fail(what = "this form"): never {
    throw unsupported(
      `inline PTX '${this.#template.trim().replace(/\s+/g, " ")}' (${what})`,
      this.#location ?? undefined,
    );
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)] as Token;
  }
  #next(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
  #accept(text: string): boolean {
    const token = this.#peek();
    if (token.kind !== "punctuation" || token.text !== text) return false;
    this.#position++;
    return true;
  }
  #expect(text: string): void {
    if (!this.#accept(text)) this.#fail(`expected '${text}'`);
  }

  /**
   * The labels of the scope that begins here, without those of inner scopes, each under a name that is unique in the
   * template.
   */
  #labelsAhead(): Map<string, string> {
    const labels = new Map<string, string>();
    let depth = 0;
    for (let i = this.#position; i < this.#tokens.length; i++) {
      const token = this.#tokens[i] as Token;
      if (token.text === "{") depth++;
      else if (token.text === "}" && --depth < 0) break;
      else if (depth === 0 && token.kind === "word" && (this.#tokens[i + 1] as Token | undefined)?.text === ":") {
        if (labels.has(token.text)) this.#fail(`two labels ${token.text}`);
        labels.set(token.text, `${token.text}.${this.#labels++}`);
      }
    }
    return labels;
  }
  #label(name: string): string | null {
    for (let i = this.#labelScopes.length - 1; i >= 0; i--) {
      const label = this.#labelScopes[i]?.get(name);
      if (label !== undefined) return label;
    }
    return null;
  }

  /** `.reg .b32 a, b<4>;` and directives without meaning here. */
  #directive(): void {
    const word = this.#next().text;
    const parts = word.split(".").slice(1);
    if (parts[0] !== "reg") {
      if (parts[0] === "pragma" || parts[0] === "loc") {
        while (this.#peek().kind !== "end" && !this.#accept(";")) this.#position++;
        return;
      }
      this.#fail(word);
    }
    let type = parts.slice(1);
    while (this.#peek().kind === "word" && this.#peek().text.startsWith("."))
      type = type.concat(this.#next().text.split(".").slice(1));
    const base = type[type.length - 1];
    const width = type.length === 2 ? VECTOR_WIDTHS[type[0]!] : 1;
    if (base === undefined || width === undefined || type.length > 2) this.#fail(`.reg ${type.join(" ")}`);
    do {
      const name = this.#next();
      if (name.kind !== "word") this.#fail();
      if (this.#accept("<")) {
        const count = Number(this.#next().text);
        this.#expect(">");
        if (!(count > 0 && count <= 1024)) this.#fail();
        for (let i = 0; i < count; i++) this.#declareSeveral(name.text + i, base, width);
      } else this.#declareSeveral(name.text, base, width);
    } while (this.#accept(","));
    this.#expect(";");
  }

  /** Of a vector, each member is a register of its own: v.x and v.r are the first. */
  #declareSeveral(name: string, type: string, width: number): void {
    if (width === 1) this.#declare([name], type);
    else for (const [x, r] of MEMBERS.slice(0, width)) this.#declare([name + x, name + r], type);
  }

  #declare(names: readonly [string, ...string[]], type: string): void {
    const register: PtxRegister = { name: names[0], type };
    this.#registers.push(register);
    for (const name of names) this.#scopes[this.#scopes.length - 1]?.set(name, register);
  }

  /** All members of a vector; empty: the name is none of a vector. */
  #members(name: string): readonly PtxRegister[] {
    return MEMBERS.map(([x]) => this.#register(name + x)).filter((register) => register !== null);
  }

  #register(name: string): PtxRegister | null {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const register = this.#scopes[i]?.get(name);
      if (register) return register;
    }
    return null;
  }

  #instruction(): void {
    const from = this.#peek().at;
    let guard: PtxInstruction["guard"] = null;
    if (this.#accept("@")) {
      const negated = this.#accept("!");
      guard = { operand: this.#operand(), negated };
    }
    const opcode = this.#next();
    if (opcode.kind !== "word" || !/^[a-z]/.test(opcode.text)) this.#fail();
    const operands: PtxOperand[] = [];
    if (this.#peek().kind !== "end" && this.#peek().text !== ";" && this.#peek().text !== "}") {
      do operands.push(this.#operand());
      while (this.#accept(","));
    }
    const end = this.#peek();
    if (end.kind !== "end" && end.text !== "}") this.#expect(";");
    this.#statements.push({
      kind: "instruction",
      guard,
      opcode: opcode.text.split("."),
      operands,
      text: this.#template.slice(from, end.at).trim().replace(/\s+/g, " "),
    });
  }

  #operand(): PtxOperand {
    const first = this.#primary();
    if (this.#accept("|")) return { kind: "pair", first, second: this.#primary() };
    return first;
  }

  #primary(): PtxOperand {
    if (this.#accept("!")) return { kind: "not", operand: this.#primary() };
    if (this.#accept("-")) {
      const operand = this.#primary();
      if (operand.kind === "int") return { kind: "int", value: -operand.value };
      if (operand.kind === "float")
        return { kind: "float", width: operand.width, bits: operand.bits ^ (1n << BigInt(operand.width - 1)) };
      return { kind: "negative", operand };
    }
    if (this.#accept("+")) return this.#primary();
    if (this.#accept("{")) {
      const elements: PtxOperand[] = [];
      if (!this.#accept("}")) {
        do elements.push(this.#primary());
        while (this.#accept(","));
        this.#expect("}");
      }
      return { kind: "vector", elements };
    }
    if (this.#accept("[")) {
      const base = this.#primary();
      let offset = 0n;
      for (;;) {
        const isNegative = this.#peek().text === "-";
        if (isNegative) this.#position++;
        else if (!this.#accept("+")) break;
        const value = this.#primary();
        if (value.kind !== "int") this.#fail("an address of two registers");
        offset += isNegative ? -value.value : value.value;
      }
      let coordinates: readonly PtxOperand[] | null = null;
      if (this.#accept(",")) {
        const list = this.#primary();
        if (list.kind !== "vector") this.#fail("an address of two registers");
        coordinates = list.elements;
      }
      this.#expect("]");
      return { kind: "address", base, offset, coordinates };
    }
    const token = this.#next();
    if (token.kind === "asm") {
      const operand: PtxOperand = { kind: "asm", index: Number(token.text) };
      return this.#peek().kind === "word" && SELECTOR.test(this.#peek().text)
        ? { kind: "selected", operand, selector: this.#next().text.slice(1) }
        : operand;
    }
    if (token.kind === "number") return parseNumber(token.text) ?? this.#fail(`the number ${token.text}`);
    if (token.kind !== "word") this.#fail();
    if (token.text === "_") return { kind: "sink" };
    const register = this.#register(token.text);
    if (register !== null) return { kind: "register", register };
    const elements = this.#members(token.text).map((member) => ({ kind: "register", register: member }) as const);
    if (elements.length > 0) return { kind: "vector", elements };
    const selector = SELECTOR.exec(token.text);
    const selected = selector === null ? null : this.#register(token.text.slice(0, selector.index));
    if (selector !== null && selected !== null)
      return { kind: "selected", operand: { kind: "register", register: selected }, selector: selector[0].slice(1) };
    if (SPECIAL.test(token.text)) return { kind: "special", name: token.text.slice(1) };
    if (token.text === "WARP_SZ") return { kind: "int", value: 32n };
    const label = this.#label(token.text);
    if (label !== null) return { kind: "label", name: label };
    this.#fail(`the name ${token.text}`);
  }
}

/** 12, 0x1F, 017, 0b101, with U; 0f3F800000, 0d…; 1.5, 2e3. */
export function parseNumber(text: string): PtxOperand | null {
  let match = /^0[fF]([0-9a-fA-F]{8})$/.exec(text);
  if (match) return { kind: "float", width: 32, bits: BigInt(`0x${match[1]}`) };
  match = /^0[dD]([0-9a-fA-F]{16})$/.exec(text);
  if (match) return { kind: "float", width: 64, bits: BigInt(`0x${match[1]}`) };
  match = /^(0[xX][0-9a-fA-F]+|0[bB][01]+|[1-9][0-9]*|0)[uU]?$/.exec(text);
  if (match) return { kind: "int", value: BigInt(match[1] as string) };
  match = /^0([0-7]+)[uU]?$/.exec(text);
  if (match) return { kind: "int", value: BigInt(`0o${match[1]}`) };
  if (/^[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?$/.test(text)) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, Number(text));
    return { kind: "float", width: 64, bits: view.getBigUint64(0) };
  }
  return null;
}

/**
 * Sticky expressions, tried in turn. A word keeps its dots and double colons: opcodes, %tid.x, .reg, L1::evict_last.
 */
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;
const ASM = /\$(?:(\d+)|\{(\d+)(?::\w*)?\})/y;
const NUMBERS = [
  "0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", // the bits of a float or double
  "0[xX][0-9a-fA-F]+U?|0[bB][01]+U?",
  "\\d+(?:\\.\\d*)?(?:[eE][-+]?\\d+)?U?",
];
const NUMBER = new RegExp(`(?:${NUMBERS.join("|")})(?![\\w$])`, "y");
const WORD = /[.]?[A-Za-z_%][\w$]*(?:(?:\.|::)[\w$]+)*/y;

function tokenize(text: string, fail: () => never): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    let found = match(SPACE);
    if (found) {
      at += found[0].length;
      continue;
    }
    if ((found = match(ASM))) tokens.push({ kind: "asm", text: (found[1] ?? found[2]) as string, at });
    else if ((found = match(NUMBER))) tokens.push({ kind: "number", text: found[0], at });
    else if ((found = match(WORD))) tokens.push({ kind: "word", text: found[0], at });
    else if ("{}[]();:,@!|+-<>".includes(text[at] as string))
      tokens.push({ kind: "punctuation", text: text[at] as string, at });
    else fail();
    at += found?.[0].length ?? 1;
  }
  tokens.push({ kind: "end", text: "", at });
  return tokens;
}
