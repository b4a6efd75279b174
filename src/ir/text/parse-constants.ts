/** Constants of textual LLVM IR, constant expressions included (LangRef, "Constants"). */
import { constFloatBits, constInt, constNull, constZero } from "../model/build.ts";
import { parseFloatLiteral } from "../model/float-literals.ts";
import { gepType } from "../model/gep.ts";
import { formatType, isFloat, isInt, sameType, scalarOf } from "../model/types.ts";
import type {
  ArrayType,
  BinaryOperator,
  CastOperator,
  ConstExprInstruction,
  IrConstant,
  IrType,
  StructType,
  VectorType,
} from "../model/ir.ts";
import type { Parser } from "./parser.ts";

/** More elements than any device memory holds would only exhaust ours. */
const MAX_ELEMENTS = 1 << 28;

const castOperators: ReadonlySet<string> = new Set<CastOperator>([
  "trunc",
  "zext",
  "sext",
  "fptrunc",
  "fpext",
  "fptoui",
  "fptosi",
  "uitofp",
  "sitofp",
  "ptrtoint",
  "inttoptr",
  "bitcast",
  "addrspacecast",
]);
const constantBinaryOperators: ReadonlySet<string> = new Set<BinaryOperator>([
  "add",
  "sub",
  "mul",
  "shl",
  "lshr",
  "ashr",
  "and",
  "or",
  "xor",
]);

/** `ptr @x`, `i32 5`, … */
export function parseTypedConstant(p: Parser): IrConstant {
  return parseConstant(p, p.parseValueType());
}

export function parseConstant(p: Parser, type: IrType): IrConstant {
  const at = p.start;
  switch (p.kind) {
    case "int":
      return parseInt_(p, type);
    case "float": {
      if (!isFloat(type)) p.fail(`a ${formatType(type)} was expected, but a floating-point number is here`);
      const bits = parseFloatLiteral(p.value, type.format);
      if (typeof bits === "string") p.fail(bits);
      p.next();
      return constFloatBits(type, bits);
    }
    case "global": {
      if (type.kind !== "ptr") p.fail(`a ${formatType(type)} was expected, but an address is here`);
      const { value } = p;
      const symbol = p.findSymbol(value) ?? p.module.aliases.get(value);
      if (symbol === null || symbol === undefined) p.fail(`@${value} is not defined`);
      if (!sameType(symbol.type, type))
        p.fail(`@${value} is a ${formatType(symbol.type)}, but ${formatType(type)} was expected`);
      p.next();
      return symbol;
    }
    case "bytes": {
      if (type.kind !== "array" || !isInt(type.element) || type.element.bits !== 8)
        p.fail(`a ${formatType(type)} was expected, but a string is here`);
      const bytes = Uint8Array.from(p.value, (c) => c.charCodeAt(0));
      if (bytes.length !== type.length) p.fail(`the string has ${bytes.length} bytes, its type ${type.length}`);
      p.next();
      return { kind: "const-bytes", type, bytes };
    }
    case "punctuation":
      return parseAggregate(p, type);
    case "word":
      return parseWordConstant(p, type, at);
    default:
      return p.failExpected("a constant");
  }
}

function parseInt_(p: Parser, type: IrType): IrConstant {
  const text = p.value;
  if (!isInt(type)) {
    if (isFloat(type)) p.fail("a floating-point constant needs a decimal point");
    return p.fail(`a ${formatType(type)} was expected, but a number is here`);
  }
  if (text.length > 5000) p.fail("the number is too large");
  let value: bigint;
  if (text.startsWith("u0x")) value = BigInt(text.slice(1));
  else if (text.startsWith("s0x")) value = BigInt.asIntN(4 * (text.length - 3), BigInt(text.slice(1)));
  else value = BigInt(text);
  const { bits } = type;
  if (value >= 1n << BigInt(bits) || value < -(1n << BigInt(bits - 1))) p.fail(`${text} does not fit into i${bits}`);
  p.next();
  return constInt(type, value);
}

function parseAggregate(p: Parser, type: IrType): IrConstant {
  const at = p.start;
  if (p.isPunctuation("[")) {
    if (type.kind !== "array") p.fail(`a ${formatType(type)} was expected, but an array is here`);
    return finishAggregate(p, type, parseElements(p, "]"), at);
  }
  if (p.isPunctuation("{")) {
    if (type.kind !== "struct" || type.packed) p.fail(`a ${formatType(type)} was expected, but a struct is here`);
    return finishAggregate(p, type, parseElements(p, "}"), at);
  }
  if (!p.isPunctuation("<")) return p.failExpected("a constant");
  if (type.kind === "struct") {
    if (!type.packed) p.fail(`a ${formatType(type)} was expected, but a packed struct is here`);
    p.next();
    const elements = parseElements(p, "}");
    p.expect(">");
    return finishAggregate(p, type, elements, at);
  }
  if (type.kind !== "vector") p.fail(`a ${formatType(type)} was expected, but a vector is here`);
  return finishAggregate(p, type, parseElements(p, ">"), at);
}

/** The elements after an opening bracket that is the current token, and the closing one. */
function parseElements(p: Parser, close: string): IrConstant[] {
  return p.nested(() => {
    p.next();
    const elements: IrConstant[] = [];
    if (p.accept(close)) return elements;
    do elements.push(parseTypedConstant(p));
    while (p.accept(","));
    p.expect(close);
    return elements;
  });
}

function finishAggregate(
  p: Parser,
  type: ArrayType | VectorType | StructType,
  elements: IrConstant[],
  at: number,
): IrConstant {
  const count = type.kind === "struct" ? type.elements.length : type.length;
  if (elements.length !== count)
    p.fail(`${formatType(type)} has ${count} elements, but ${elements.length} are here`, at);
  for (const [i, element] of elements.entries()) {
    const expected = type.kind === "struct" ? (type.elements[i] as IrType) : type.element;
    if (!sameType(element.type, expected))
      p.fail(`element ${i} of ${formatType(type)} is a ${formatType(element.type)}`, at);
  }
  return { kind: "const-aggregate", type, elements };
}

function parseWordConstant(p: Parser, type: IrType, at: number): IrConstant {
  const word = p.value;
  switch (word) {
    case "true":
    case "false":
      if (!isInt(type) || type.bits !== 1) p.fail(`a ${formatType(type)} was expected, but ${word} is here`);
      p.next();
      return constInt(type, word === "true" ? 1n : 0n);
    case "null":
      if (type.kind !== "ptr") p.fail(`a ${formatType(type)} was expected, but null is here`);
      p.next();
      return constNull(type);
    case "none":
      throw p.unsupported("the constant none");
    case "undef":
    case "poison":
      p.next();
      return { kind: "const-undef", type, poison: word === "poison" };
    case "zeroinitializer":
      p.next();
      return constZero(type);
    case "splat": {
      if (type.kind !== "vector" && type.kind !== "array")
        p.fail(`a ${formatType(type)} was expected, but a splat is here`);
      p.next();
      p.expect("(");
      const element = p.nested(() => parseTypedConstant(p));
      p.expect(")");
      if (type.length > MAX_ELEMENTS) p.fail("the constant is too large", at);
      return finishAggregate(
        p,
        type,
        Array.from({ length: type.length }, () => element),
        at,
      );
    }
    case "getelementptr":
      return p.nested(() => parseConstantGep(p, type, at));
    case "blockaddress":
    case "dso_local_equivalent":
    case "no_cfi":
    case "ptrauth":
      throw p.unsupported(`the constant ${word}`);
  }
  const instruction = p.nested(() => parseConstantExpression(p));
  if (instruction === null) return p.failExpected("a constant");
  return finishExpression(p, instruction.type, instruction.instruction, type, at);
}

function parseConstantExpression(p: Parser): { type: IrType; instruction: ConstExprInstruction } | null {
  const word = p.value;
  if (castOperators.has(word) || word === "ptrtoaddr") {
    skipWords(p);
    p.expect("(");
    const operand = parseTypedConstant(p);
    p.expect("to");
    const type = p.parseValueType();
    p.expect(")");
    return {
      type,
      instruction: { op: "cast", operator: (word === "ptrtoaddr" ? "ptrtoint" : word) as CastOperator, operand },
    };
  }
  if (constantBinaryOperators.has(word)) {
    skipWords(p);
    p.expect("(");
    const lhs = parseTypedConstant(p);
    p.expect(",");
    const at = p.start;
    const rhs = parseTypedConstant(p);
    p.expect(")");
    if (!sameType(lhs.type, rhs.type) || !isInt(scalarOf(lhs.type)))
      p.fail(`${word} needs two integers of one type`, at);
    return { type: lhs.type, instruction: { op: "binary", operator: word as BinaryOperator, lhs, rhs } };
  }
  return null;
}

function parseConstantGep(p: Parser, type: IrType, at: number): IrConstant {
  skipWords(p);
  p.expect("(");
  const sourceType = p.parseValueType();
  p.expect(",");
  const base = parseTypedConstant(p);
  const indices: IrConstant[] = [];
  while (p.accept(",")) {
    const index = parseTypedConstant(p);
    if (!isInt(scalarOf(index.type))) p.fail("an index is an integer");
    indices.push(index);
  }
  p.expect(")");
  if (scalarOf(base.type).kind !== "ptr") p.fail("getelementptr needs a pointer", at);
  checkGepPath(p, sourceType, indices, at);
  return finishExpression(p, gepType(base.type, indices), { op: "gep", sourceType, base, indices }, type, at);
}

function finishExpression(
  p: Parser,
  actual: IrType,
  instruction: ConstExprInstruction,
  expected: IrType,
  at: number,
): IrConstant {
  if (!sameType(actual, expected))
    p.fail(`a ${formatType(expected)} was expected, but ${formatType(actual)} is here`, at);
  return { kind: "const-expr", type: actual, instruction };
}

/** The instruction's word, and inbounds, nuw, nusw, nsw, nneg, exact, inrange(…): what they promise we do not use. */
function skipWords(p: Parser): void {
  while (p.at("word")) {
    const inrange = p.value === "inrange";
    p.next();
    if (inrange && p.isPunctuation("(")) p.skipGroup();
  }
}

/** All indices but the first go into aggregates; those into structs are constants inside of them. */
export function checkGepPath(
  p: Parser,
  sourceType: IrType,
  indices: readonly { readonly kind: string; readonly type: IrType }[],
  at: number,
): void {
  let current = sourceType;
  for (const index of indices.slice(1)) {
    if (current.kind === "array" || current.kind === "vector") {
      current = current.element;
      continue;
    }
    if (current.kind !== "struct") p.fail(`${formatType(current)} has no elements`, at);
    const value = index.kind === "const-int" ? (index as unknown as { value: bigint }).value : -1n;
    const element = value >= 0n && value < 0x7fffffffn ? current.elements[Number(value)] : undefined;
    if (element === undefined) p.fail(`no such element of ${formatType(current)}`, at);
    current = element;
  }
}
