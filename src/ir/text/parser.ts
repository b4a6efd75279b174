/**
 * What all parts of the reader of LLVM IR share: the cursor, the symbols of the module, types and attributes
 * (LangRef, "Type System", "Parameter Attributes", "Function Attributes").
 */
import { Lexer, type TokenKind } from "./lexer.ts";
import type {
  FunctionType,
  IrFunction,
  IrGlobal,
  IrModule,
  IrType,
  StructType,
  PointerBits,
  PointerType,
} from "../model/ir.ts";
import { arrayType, functionType, ptrType, structType, vectorType } from "../model/types.ts";
import { pointerBitsOf } from "../model/layout.ts";
import { unsupported, type HeddleError } from "../../base/diagnostics.ts";
import { MetadataTable } from "./parse-metadata.ts";
import { valueWords, wordType } from "./word-types.ts";

/** Nesting beyond this is an error of its own and not an overflow of our stack. */
const MAX_DEPTH = 200;

export class Parser extends Lexer {
  readonly module: IrModule;
  readonly metadata: MetadataTable;
  /** Attribute groups (#0 …) by number. */
  readonly attributeGroups: Map<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>();
  /** Offset of the first use of each named type that has no definition yet. */
  readonly undefinedTypes: Map<string, number> = new Map<string, number>();
  #depth = 0;

  constructor(text: string, sourceName: string, module: IrModule) {
    super(text, sourceName);
    this.module = module;
    this.metadata = new MetadataTable(this);
  }

  /** A pointer of the module's width. Its data layout stands in front of everything that has a pointer. */
  pointerType(addressSpace = 0): PointerType {
    return ptrType(addressSpace, (this.#pointerBits ??= pointerBitsOf(this.module)));
  }
  #pointerBits: PointerBits | null = null;

  // ---------------------------------------------------------------- tokens

  is(kind: TokenKind, value: string): boolean {
    return this.kind === kind && this.value === value;
  }
  at(kind: TokenKind): boolean {
    return this.kind === kind;
  }
  isWord(value: string): boolean {
    return this.kind === "word" && this.value === value;
  }
  isPunctuation(value: string): boolean {
    return this.kind === "punctuation" && this.value === value;
  }

  /** Moves on if the token is this punctuation mark or word. */
  accept(value: string): boolean {
    if ((this.kind === "punctuation" || this.kind === "word") && this.value === value) {
      this.next();
      return true;
    }
    return false;
  }

  expect(value: string): void {
    if (!this.accept(value)) this.failExpected(`'${value}'`);
  }

  failExpected(what: string): never {
    return this.fail(`${what} was expected, but ${this.describe()} is here`);
  }

  describe(): string {
    if (this.kind === "eof") return "the end of the text";
    const raw = this.text.slice(this.start, this.end);
    return `'${raw.length > 40 ? `${raw.slice(0, 37)}...` : raw}'`;
  }

  unsupported(feature: string): HeddleError {
    // The place in the IR text; the caller adds the place in the source where it knows one.
    let line = 1;
    for (let at = this.text.indexOf("\n"); at >= 0 && at < this.start; at = this.text.indexOf("\n", at + 1)) line++;
    return unsupported(feature, { file: this.sourceName, line, column: 0 });
  }

  /** An unsigned decimal number below 2^32. */
  parseNumber(): number {
    if (this.kind !== "int" || !/^\d{1,10}$/.test(this.value)) this.failExpected("a number");
    const value = Number(this.value);
    if (value > 0xffffffff) this.fail("the number is too large");
    this.next();
    return value;
  }

  parseString(): string {
    if (this.kind !== "string") this.failExpected("a string");
    const { value } = this;
    this.next();
    return value;
  }

  /** Passes over a bracketed group whose opening bracket is the current token, and returns its text. */
  skipGroup(): string {
    const open = this.start;
    const end = this.skipBalanced(open, "the bracket has no end");
    this.end = end;
    this.next();
    return this.text.slice(open, end);
  }

  /** Runs one level deeper, so that hostile nesting ends in an error. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) this.fail("too deeply nested");
    const result = parse();
    this.#depth--;
    return result;
  }

  resetDepth(): void {
    this.#depth = 0;
  }

  // ---------------------------------------------------------------- types

  /** Whether the current token can begin a type. */
  atType(): boolean {
    switch (this.kind) {
      case "word":
        return wordType(this.value) !== null || this.value === "ptr" || this.value === "target";
      case "local":
        return true;
      case "punctuation":
        return this.value === "{" || this.value === "[" || this.value === "<";
      default:
        return false;
    }
  }

  /** A type, with a following parameter list where there is one: `i32 (ptr, ...)`. */
  parseType(): IrType {
    const type = this.parseTypeAtom();
    return this.isPunctuation("(") ? this.parseFunctionType(type) : type;
  }

  /** A type that a value may have. */
  parseValueType(): IrType {
    const at = this.start;
    const type = this.parseTypeAtom();
    if (type.kind === "void") this.fail("a value cannot be void", at);
    return type;
  }

  parseTypeAtom(): IrType {
    if (this.kind === "word") {
      const word = this.value;
      if (word === "ptr") {
        this.next();
        return this.pointerType(this.isWord("addrspace") ? this.parseAddressSpace() : 0);
      }
      const type = wordType(word);
      if (type !== null) {
        this.next();
        return type;
      }
      if (word === "target" || word === "x86_fp80" || word === "fp128" || word === "ppc_fp128" || word === "x86_amx")
        throw this.unsupported(`the type ${word}`);
      if (/^i\d+$/.test(word)) this.fail("an integer type has between 1 and 2^23 bits");
    } else if (this.kind === "local") {
      return this.parseNamedType();
    } else if (this.kind === "punctuation") {
      if (this.value === "{") return this.nested(() => structType(this.parseStructBody()));
      if (this.value === "[") return this.nested(() => this.#parseSequence("]"));
      if (this.value === "<") {
        this.next();
        if (!this.isPunctuation("{")) return this.nested(() => this.#parseSequenceTail(">"));
        const elements = this.nested(() => this.parseStructBody());
        this.expect(">");
        return structType(elements, null, true);
      }
    }
    return this.failExpected("a type");
  }

  parseAddressSpace(): number {
    this.expect("addrspace");
    this.expect("(");
    const at = this.start;
    const space = this.parseNumber();
    if (space > 0xffffff) this.fail("there is no such address space", at);
    this.expect(")");
    return space;
  }

  parseFunctionType(result: IrType): FunctionType {
    this.expect("(");
    const params: IrType[] = [];
    let isVarArg = false;
    this.nested(() => {
      if (this.isPunctuation(")")) return;
      do {
        if (this.kind === "ellipsis") {
          this.next();
          isVarArg = true;
          break;
        }
        params.push(this.parseValueType());
        this.skipParameterAttributes();
      } while (this.accept(","));
    });
    this.expect(")");
    return functionType(result, params, isVarArg);
  }

  /** `{ T, T }` with the brace current. */
  parseStructBody(): IrType[] {
    this.expect("{");
    const elements: IrType[] = [];
    if (this.accept("}")) return elements;
    do elements.push(this.parseValueType());
    while (this.accept(","));
    this.expect("}");
    return elements;
  }

  #parseSequence(close: "]"): IrType {
    this.expect("[");
    return this.#parseSequenceTail(close);
  }

  #parseSequenceTail(close: "]" | ">"): IrType {
    if (this.isWord("vscale")) throw this.unsupported("a scalable vector type");
    const at = this.start;
    const length = this.parseNumber();
    this.expect("x");
    const element = this.parseValueType();
    if (close === ">") {
      if (length === 0 || length > 4096) this.fail("a vector has between 1 and 4096 elements", at);
      if (element.kind !== "int" && element.kind !== "float" && element.kind !== "ptr")
        this.fail("a vector is of integers, floats or pointers", at);
    }
    this.expect(close);
    return close === "]" ? arrayType(element, length) : vectorType(element, length);
  }

  /** A named struct type; it may be defined later in the text. */
  parseNamedType(): StructType {
    const name = this.value;
    let type = this.module.structTypes.get(name);
    if (type === undefined) {
      type = structType([], name);
      this.module.structTypes.set(name, type);
      this.undefinedTypes.set(name, this.start);
    }
    this.next();
    return type;
  }

  // ---------------------------------------------------------------- attributes

  /**
   * Attributes of a parameter or argument up to the value: words, `align 8`, `range(i32 0, 5)`, `"key"="value"`.
   * Words that begin a value end them.
   */
  parseParameterAttributes(into: Set<string> | null): { byval: IrType | null; align: number | null } {
    let byval: IrType | null = null;
    let align: number | null = null;
    for (;;) {
      if (this.kind === "word") {
        const word = this.value;
        if (valueWords.has(word)) break;
        this.next();
        if (word === "align") {
          if (this.accept("(")) {
            align = this.parseNumber();
            this.expect(")");
          } else align = this.parseNumber();
        } else if (
          word === "byval" ||
          word === "byref" ||
          word === "sret" ||
          word === "inalloca" ||
          word === "preallocated" ||
          word === "elementtype"
        ) {
          this.expect("(");
          const type = this.parseType();
          this.expect(")");
          if (word === "byval") byval = type;
          into?.add(word);
        } else {
          const attribute = this.isPunctuation("(") ? word + this.skipGroup() : word;
          into?.add(attribute);
        }
      } else if (this.kind === "string") {
        const key = this.value;
        this.next();
        const value = this.accept("=") ? `=${this.parseString()}` : "";
        into?.add(key + value);
      } else break;
    }
    return { byval, align };
  }

  skipParameterAttributes(): void {
    if (this.kind === "word" || this.kind === "string") this.parseParameterAttributes(null);
  }

  /**
   * Attributes after a function's parameters, or in a group: words, strings, and groups (#0) where `groups` collects
   * them.
   */
  parseFunctionAttribute(into: Set<string>): boolean {
    if (this.kind === "string") {
      const key = this.value;
      this.next();
      into.add(this.accept("=") ? `${key}=${this.parseString()}` : key);
      return true;
    }
    if (this.kind !== "word") return false;
    const word = this.value;
    this.next();
    if (this.accept("=")) {
      into.add(`${word}=${this.value}`);
      this.next();
    } else into.add(this.isPunctuation("(") ? word + this.skipGroup() : word);
    return true;
  }

  attributeGroup(number: string, at: number): ReadonlySet<string> {
    return this.attributeGroups.get(number) ?? this.fail(`there is no attribute group #${number}`, at);
  }

  // ---------------------------------------------------------------- symbols

  findSymbol(name: string): IrFunction | IrGlobal | null {
    return this.module.functions.get(name) ?? this.module.globals.get(name) ?? null;
  }
}
