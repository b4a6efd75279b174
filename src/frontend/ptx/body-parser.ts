/**
 * Reads the body of a function: its declarations, labels and instructions (PTX ISA 8.5, 4.3 and chapter 6).
 *
 * Names are resolved here: registers, labels and variables are those of the innermost braces that declare them, so that
 * what follows needs no scopes. What no braces declare is a symbol of the module.
 */
import { ptxType } from "../../ir/inline-ptx/emit.ts";
import { parseNumber, SELECTOR, SPECIAL, type PtxOperand, type PtxRegister } from "../../ir/inline-ptx/syntax.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import { readPrototype } from "./signature-parser.ts";
import type { SourceLines } from "./source-lines.ts";
import type { PtxBody, PtxCallParts, PtxLabel, PtxSignature, PtxStatement, PtxVariable } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";
import { readVariables } from "./variable-parser.ts";

type Named =
  | { readonly kind: "register"; readonly register: PtxRegister }
  | { readonly kind: "variable"; readonly variable: PtxVariable };

/** `.reg .b32 %r<100>`: its registers are made when they are named. */
interface Range {
  readonly type: string;
  readonly count: number;
}

interface Scope {
  readonly names: Map<string, Named>;
  readonly ranges: Map<string, Range>;
  readonly labels: ReadonlyMap<string, string>;
}

const MOST_NESTED = 200;

/** At the opening brace; afterwards behind the closing one. */
export function parseBody(tokens: TokenReader, lines: SourceLines, signature: PtxSignature): PtxBody {
  return new BodyParser(tokens, lines, signature).parse();
}

class BodyParser {
  readonly #tokens: TokenReader;
  readonly #lines: SourceLines;
  readonly #scopes: Scope[] = [];
  readonly #registers: PtxRegister[] = [];
  readonly #variables: PtxVariable[] = [];
  readonly #statements: (PtxStatement | PtxLabel)[] = [];
  readonly #prototypes = new Map<string, PtxSignature>();
  readonly #targets = new Map<string, readonly string[]>();
  #labels = 0;
  #location: SourceLocation | null = null;

  constructor(tokens: TokenReader, lines: SourceLines, { results, params }: PtxSignature) {
    this.#tokens = tokens;
    this.#lines = lines;
    const names = new Map<string, Named>();
    for (const { variable, register } of [...results, ...params])
      names.set(variable.name, register === null ? { kind: "variable", variable } : { kind: "register", register });
    for (const { register } of [...results, ...params]) if (register !== null) this.#registers.push(register);
    this.#scopes.push({ names, ranges: new Map(), labels: new Map() });
  }

  parse(): PtxBody {
    const tokens = this.#tokens;
    tokens.expect("{");
    this.#enter();
    for (let depth = 1; depth > 0;) {
      const token = tokens.peek();
      if (token.kind === "end") tokens.fail("'}' is missing at the end of the function");
      if (tokens.accept(";")) continue;
      if (tokens.accept("{")) {
        if (++depth > MOST_NESTED) tokens.fail("braces are nested too deeply");
        this.#enter();
      } else if (tokens.accept("}")) {
        depth--;
        this.#scopes.pop();
      } else if (token.kind === "word" && token.text.startsWith(".")) this.#directive();
      else if (token.kind === "word" && tokens.peek(1).text === ":") this.#label();
      else this.#instruction();
    }
    return {
      statements: this.#statements,
      registers: this.#registers,
      variables: this.#variables,
      prototypes: this.#prototypes,
      targets: this.#targets,
    };
  }

  /** Behind an opening brace. Labels may be named before they stand: they are looked for ahead. */
  #enter(): void {
    const labels = new Map<string, string>();
    let depth = 0;
    for (let i = this.#tokens.position; ; i++) {
      const { text, kind, at } = this.#tokens.at(i);
      if (kind === "end" || (text === "}" && --depth < 0)) break;
      if (text === "{") depth++;
      else if (depth === 0 && kind === "word" && this.#tokens.at(i + 1).text === ":") {
        if (labels.has(text)) this.#tokens.fail(`duplicate definition of the label '${text}'`, at);
        labels.set(text, this.#scopes.length === 1 ? text : `${text}.${this.#labels++}`);
      }
    }
    this.#scopes.push({ names: new Map(), ranges: new Map(), labels });
  }

  #labelNamed(name: string): string | null {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const label = this.#scopes[i]?.labels.get(name);
      if (label !== undefined) return label;
    }
    return null;
  }

  /** A label, or a named list of labels or of parameters. */
  #label(): void {
    const tokens = this.#tokens;
    const { text } = tokens.next();
    tokens.expect(":");
    const name = this.#labelNamed(text) ?? text;
    if (tokens.accept(".callprototype")) {
      this.#prototypes.set(text, readPrototype(tokens));
      tokens.skipStatement();
    } else if (tokens.accept(".branchtargets")) {
      const targets: string[] = [];
      do {
        const { at } = tokens.peek();
        const target = tokens.word();
        targets.push(this.#labelNamed(target) ?? tokens.fail(`unknown label '${target}'`, at));
      } while (tokens.accept(","));
      tokens.expect(";");
      this.#targets.set(name, targets);
    } else if (tokens.accept(".calltargets")) tokens.skipStatement();
    else this.#statements.push({ kind: "label", name });
  }

  #directive(): void {
    const tokens = this.#tokens;
    const { text, at } = tokens.peek();
    const word = text.split(".")[1] ?? "";
    switch (word) {
      case "loc":
        this.#location = this.#lines.loc();
        return;
      case "file":
        return this.#lines.file();
      case "pragma":
        return tokens.skipStatement();
      case "reg":
        return this.#declareRegisters();
      case "local":
      case "shared":
      case "param":
      case "const":
      case "global":
        for (const variable of readVariables(tokens, { linkage: "internal", hasInitializer: true })) {
          this.#declare(variable.name, { kind: "variable", variable }, variable.at);
          this.#variables.push(variable);
        }
        return tokens.expect(";");
      case "maxntid":
      case "reqntid":
      case "minnctapersm":
      case "maxnreg":
        return tokens.fail(`${text} stands before the body of a function`, at);
      default:
        return tokens.fail(`unknown directive '${text}'`, at);
    }
  }

  /** .reg .b32 a, %r<100>; */
  #declareRegisters(): void {
    const tokens = this.#tokens;
    const words: string[] = [];
    const { at } = tokens.peek();
    while (tokens.peek().kind === "word" && tokens.peek().text.startsWith("."))
      words.push(...tokens.next().text.split(".").slice(1));
    const [, type, ...more] = words;
    if (type !== undefined && /^v[24]$/.test(type)) throw tokens.source.unsupported(at, "a register that is a vector");
    if (type === undefined || more.length > 0 || ptxType(type) === null)
      return tokens.fail(`unknown type of registers '.${words.slice(1).join(".")}'`, at);
    do {
      const place = tokens.peek().at;
      const name = tokens.word();
      if (tokens.accept("<")) {
        const count = tokens.integer();
        tokens.expect(">");
        const { ranges } = this.#scopes.at(-1) as Scope;
        if (ranges.has(name)) tokens.fail(`duplicate definition of '${name}'`, place);
        ranges.set(name, { type, count });
      } else {
        const register = { name, type };
        this.#registers.push(register);
        this.#declare(name, { kind: "register", register }, place);
      }
    } while (tokens.accept(","));
    tokens.expect(";");
  }

  #declare(name: string, named: Named, at: number): void {
    const { names } = this.#scopes.at(-1) as Scope;
    if (names.has(name)) this.#tokens.fail(`duplicate definition of '${name}'`, at);
    names.set(name, named);
  }

  #find(name: string): Named | null {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const { names, ranges } = this.#scopes[i] as Scope;
      const found = names.get(name);
      if (found !== undefined) return found;
      if (ranges.size === 0) continue;
      // %r12 is of %r<100>, and may be of %r1<10>.
      for (let end = name.length - 1; end > 0 && /\d/.test(name[end] as string); end--) {
        const range = ranges.get(name.slice(0, end));
        const digits = name.slice(end);
        if (range === undefined || Number(digits) >= range.count || (digits.length > 1 && digits[0] === "0")) continue;
        const register = { name, type: range.type };
        this.#registers.push(register);
        const named: Named = { kind: "register", register };
        names.set(name, named);
        return named;
      }
    }
    return null;
  }

  #instruction(): void {
    const tokens = this.#tokens;
    const { at } = tokens.peek();
    let guard: PtxStatement["guard"] = null;
    if (tokens.accept("@")) {
      const negated = tokens.accept("!");
      guard = { operand: this.#operand(0), negated };
    }
    const opcode = tokens.next();
    if (opcode.kind !== "word" || !/^[a-z]/.test(opcode.text))
      tokens.fail(`expected an instruction, not '${opcode.text}'`, opcode.at);
    const words = opcode.text.split(".");
    // ".2d" and the like begin a word of their own behind a space, which PTX allows.
    const call = words[0] === "call" ? this.#callParts() : null;
    const operands: PtxOperand[] = [];
    if (call !== null) operands.push(call.target);
    else if (tokens.peek().text !== ";") {
      do operands.push(this.#operand(0));
      while (tokens.accept(","));
    }
    const end = tokens.peek().at;
    tokens.expect(";");
    this.#statements.push({
      kind: "instruction",
      guard,
      opcode: words,
      operands,
      text: tokens.source.text.slice(at, end).trim().replace(/\s+/g, " "),
      at: opcode.at,
      location: this.#location ?? tokens.source.location(at),
      call: call?.parts ?? null,
    });
  }

  /** call (result), target, (arguments), prototype; */
  #callParts(): { target: PtxOperand; parts: PtxCallParts } {
    const tokens = this.#tokens;
    const results = tokens.peek().text === "(" ? this.#list() : [];
    if (results.length > 0) tokens.expect(",");
    const target = this.#operand(0);
    let args: readonly PtxOperand[] = [];
    let prototype: string | null = null;
    while (tokens.accept(",")) {
      if (tokens.peek().text === "(") args = this.#list();
      else prototype = tokens.word();
    }
    return { target, parts: { results, args, prototype } };
  }

  #list(): PtxOperand[] {
    const tokens = this.#tokens;
    tokens.expect("(");
    const operands: PtxOperand[] = [];
    while (!tokens.accept(")")) {
      if (operands.length > 0) tokens.expect(",");
      operands.push(this.#operand(0));
    }
    return operands;
  }

  #operand(depth: number): PtxOperand {
    const first = this.#primary(depth);
    if (this.#tokens.accept("|")) return { kind: "pair", first, second: this.#primary(depth) };
    return first;
  }

  #primary(depth: number): PtxOperand {
    const tokens = this.#tokens;
    const { at } = tokens.peek();
    if (depth > MOST_NESTED) tokens.fail("the operand is nested too deeply", at);
    if (tokens.accept("!")) return { kind: "not", operand: this.#primary(depth + 1) };
    if (tokens.accept("-")) return negative(this.#primary(depth + 1));
    if (tokens.accept("+")) return this.#primary(depth + 1);
    if (tokens.accept("(")) {
      const inner = this.#primary(depth + 1);
      tokens.expect(")");
      return inner;
    }
    if (tokens.accept("{")) {
      const elements: PtxOperand[] = [];
      while (!tokens.accept("}")) {
        if (elements.length > 0) tokens.expect(",");
        elements.push(this.#primary(depth + 1));
      }
      return { kind: "vector", elements };
    }
    if (tokens.accept("[")) return this.#address(depth);
    const token = tokens.next();
    if (token.kind === "number")
      return parseNumber(token.text) ?? tokens.fail(`'${token.text}' is no number`, token.at);
    if (token.kind !== "word")
      return tokens.fail(token.kind === "end" ? "an operand is missing" : `unexpected '${token.text}'`, token.at);
    return this.#name(token.text);
  }

  /** [base + offset], [base, {x, y}] */
  #address(depth: number): PtxOperand {
    const tokens = this.#tokens;
    const first = this.#primary(depth + 1);
    const [base, distance] = first.kind === "address" ? [first.base, first.offset] : [first, 0n];
    let offset = distance;
    for (;;) {
      const { text, at } = tokens.peek();
      if (text !== "+" && text !== "-") break;
      tokens.next();
      const value = this.#primary(depth + 1);
      if (value.kind !== "int") return tokens.fail("only a number can be added to an address", at);
      offset += text === "-" ? -value.value : value.value;
    }
    let coordinates: readonly PtxOperand[] | null = null;
    if (tokens.accept(",")) {
      const list = this.#primary(depth + 1);
      coordinates = list.kind === "vector" ? list.elements : [list];
      // A sampler between the texture and its coordinates.
      if (tokens.accept(",")) return tokens.fail("an address with a sampler");
    }
    tokens.expect("]");
    return { kind: "address", base, offset, coordinates };
  }

  #name(text: string): PtxOperand {
    if (text === "_") return { kind: "sink" };
    const found = this.#find(text);
    if (found?.kind === "register") return { kind: "register", register: found.register };
    const tokens = this.#tokens;
    if (found?.kind === "variable") {
      const symbol: PtxOperand = { kind: "symbol", name: text, variable: found.variable };
      // name[4]: an element of an array.
      if (tokens.peek().text !== "[") return this.#withOffset(symbol);
      return symbol;
    }
    const selector = SELECTOR.exec(text);
    const selected = selector === null ? null : this.#find(text.slice(0, selector.index));
    if (selector !== null && selected?.kind === "register")
      return {
        kind: "selected",
        operand: { kind: "register", register: selected.register },
        selector: selector[0].slice(1),
      };
    if (SPECIAL.test(text)) return { kind: "special", name: text.slice(1) };
    if (text === "WARP_SZ") return { kind: "int", value: 32n };
    const label = this.#labelNamed(text);
    if (label !== null) return { kind: "label", name: label };
    return this.#withOffset({ kind: "symbol", name: text, variable: null });
  }

  /** name + 4, as mov takes it: an address. */
  #withOffset(symbol: PtxOperand): PtxOperand {
    const tokens = this.#tokens;
    if (tokens.peek().text !== "+" || tokens.peek(1).kind !== "number" || tokens.peek(2).text === "]") return symbol;
    tokens.next();
    return { kind: "address", base: symbol, offset: BigInt(tokens.integer()), coordinates: null };
  }
}

function negative(operand: PtxOperand): PtxOperand {
  if (operand.kind === "int") return { kind: "int", value: -operand.value };
  if (operand.kind === "float") return { ...operand, bits: operand.bits ^ (1n << BigInt(operand.width - 1)) };
  return { kind: "negative", operand };
}
