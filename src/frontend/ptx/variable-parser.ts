/** Declarations of variables and their first values (PTX ISA 8.5, 5.4). */
import { ptxType } from "../../ir/inline-ptx/emit.ts";
import { parseNumber } from "../../ir/inline-ptx/syntax.ts";
import type { PtxInitializer, PtxLinkage, PtxSpace, PtxVariable } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";

export interface VariableForm {
  readonly linkage: PtxLinkage;
  readonly hasInitializer: boolean;
  /** Commas belong to what is around it. */
  readonly isOne?: boolean;
}

const SPACES: ReadonlySet<string> = new Set(["global", "const", "shared", "local", "param", "reg"]);
/** Of pointers among parameters: nothing follows from them here. */
const POINTER_WORDS: ReadonlySet<string> = new Set(["ptr", "generic"]);
const MOST_DIMENSIONS = 16;

/** .global .align 4 .v4 .f32 a[2] = { … }, b */
export function readVariables(tokens: TokenReader, form: VariableForm): PtxVariable[] {
  let space: string | null = null;
  let type: string | null = null;
  let lanes = 1;
  let align: number | null = null;
  let isManaged = false;
  let afterPointer = false;
  const { at } = tokens.peek();
  while (tokens.peek().kind === "word" && tokens.peek().text.startsWith(".")) {
    for (const word of tokens.next().text.split(".").slice(1)) {
      if (word === "align") {
        // Of what a pointer points at it says nothing of the variable.
        const value = tokens.integer();
        if (!afterPointer) align = value;
      } else if (word === "attribute") {
        const from = tokens.position;
        tokens.skipParentheses();
        for (let i = from; i < tokens.position; i++) isManaged ||= tokens.at(i).text === ".managed";
      } else if (POINTER_WORDS.has(word)) afterPointer = true;
      else if (SPACES.has(word)) {
        if (space === null) space = word;
      } else if (/^v[248]$/.test(word)) lanes = Number(word.slice(1));
      else if (ptxType(word) !== null) type = word;
      else if (/^(?:texref|samplerref|surfref)$/.test(word)) throw tokens.source.unsupported(at, `a .${word}`);
      else tokens.fail(`unknown word '.${word}' in a declaration`, at);
    }
  }
  if (space === null) tokens.fail("the declaration names no state space", at);
  if (type === null || (type === "pred" && space !== "reg")) tokens.fail("the declaration names no type", at);
  const variables: PtxVariable[] = [];
  do {
    const place = tokens.peek().at;
    const name = tokens.word();
    let length: number | null = lanes === 1 ? null : lanes;
    for (let dimensions = 0; tokens.accept("["); dimensions++) {
      if (dimensions === MOST_DIMENSIONS) tokens.fail("too many dimensions");
      const extent = tokens.peek().text === "]" ? 0 : tokens.integer();
      length = (length ?? 1) * extent;
      tokens.expect("]");
    }
    if ((length ?? 0) > 0xffff_ffff) tokens.fail(`the variable ${name} is too large`, place);
    let initializer: PtxInitializer | null = null;
    if (form.hasInitializer && tokens.accept("=")) initializer = readInitializer(tokens, 0);
    if (length === 0 && initializer?.kind === "list") length = initializer.elements.length;
    const { linkage } = form;
    const base = { name, space: space as PtxSpace, type, length, linkage, initializer, isManaged, at: place };
    // A vector is aligned to the whole of it.
    const vectorAlign = lanes === 1 ? null : ((ptxType(type)?.bits ?? 8) / 8) * lanes;
    variables.push({ ...base, align: align ?? vectorAlign });
  } while (form.isOne !== true && tokens.accept(","));
  return variables;
}

function readInitializer(tokens: TokenReader, depth: number): PtxInitializer {
  const { at } = tokens.peek();
  if (tokens.accept("{")) {
    if (depth === MOST_DIMENSIONS) tokens.fail("too many dimensions", at);
    const elements: PtxInitializer[] = [];
    if (!tokens.accept("}")) {
      do elements.push(readInitializer(tokens, depth + 1));
      while (tokens.accept(","));
      tokens.expect("}");
    }
    // Rows of a matrix are one list: memory has them one behind the other.
    return { kind: "list", elements: elements.flatMap((e) => (e.kind === "list" ? e.elements : [e])) };
  }
  const isNegative = tokens.accept("-");
  if (tokens.peek().kind === "number") {
    const number = parseNumber(tokens.next().text);
    if (number?.kind === "float")
      return { ...number, bits: isNegative ? number.bits ^ (1n << BigInt(number.width - 1)) : number.bits };
    if (number?.kind !== "int") return tokens.fail("this is no number", at);
    const value = isNegative ? -number.value : number.value;
    if (!tokens.accept("(")) return { kind: "int", value };
    // 0xff00(name): one byte of an address.
    const name = tokens.word();
    let offset = 0n;
    if (name === "generic" && tokens.accept("(")) {
      const inner = tokens.word();
      tokens.expect(")");
      offset = readOffset(tokens);
      tokens.expect(")");
      return { kind: "address", name: inner, offset, byte: byteOf(value) };
    }
    offset = readOffset(tokens);
    tokens.expect(")");
    return { kind: "address", name, offset, byte: byteOf(value) };
  }
  let name = tokens.word();
  if (name === "generic" && tokens.accept("(")) {
    name = tokens.word();
    tokens.expect(")");
  }
  return { kind: "address", name, offset: readOffset(tokens), byte: null };
}

function readOffset(tokens: TokenReader): bigint {
  let offset = 0n;
  for (;;) {
    const isNegative = tokens.peek().text === "-";
    if (!isNegative && tokens.peek().text !== "+") return offset;
    tokens.next();
    offset += BigInt(tokens.integer()) * (isNegative ? -1n : 1n);
  }
}

/** Which byte a mask of eight ones takes. */
function byteOf(mask: bigint): number {
  let byte = 0;
  for (let rest = mask; rest > 0xffn; rest >>= 8n) byte++;
  return byte;
}
