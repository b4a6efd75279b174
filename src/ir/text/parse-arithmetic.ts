/**
 * Arithmetic, casts, comparisons, select and phi (LangRef, "Binary Operations", "Conversion Operations", "Other
 * Operations").
 */
import { I1, castProblem, formatType, isFloat, isInt, sameType, scalarOf, vectorType } from "../model/types.ts";
import type {
  BinaryOperator,
  CastOperator,
  FastMath,
  FloatPredicate,
  IntPredicate,
  IrBlock,
  IrInstruction,
  IrValue,
} from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";
import { finishInstruction, parseFastMath } from "./parse-instruction-parts.ts";
import type { Base } from "./parse-instruction-parts.ts";

export const intBinary: ReadonlySet<string> = new Set<BinaryOperator>([
  "add",
  "sub",
  "mul",
  "udiv",
  "sdiv",
  "urem",
  "srem",
  "shl",
  "lshr",
  "ashr",
  "and",
  "or",
  "xor",
]);

export const floatBinary: ReadonlySet<string> = new Set<BinaryOperator>(["fadd", "fsub", "fmul", "fdiv", "frem"]);

export const casts: ReadonlySet<string> = new Set([
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
  "ptrtoaddr",
  "inttoptr",
  "bitcast",
  "addrspacecast",
]);

const intPredicates: ReadonlySet<string> = new Set<IntPredicate>([
  "eq",
  "ne",
  "ugt",
  "uge",
  "ult",
  "ule",
  "sgt",
  "sge",
  "slt",
  "sle",
]);

const floatPredicates: ReadonlySet<string> = new Set<FloatPredicate>([
  "false",
  "oeq",
  "ogt",
  "oge",
  "olt",
  "ole",
  "one",
  "ord",
  "ueq",
  "ugt",
  "uge",
  "ult",
  "ule",
  "une",
  "uno",
  "true",
]);

export function parseBinary(s: FunctionScope, base: Base, operator: BinaryOperator, at: number): IrInstruction {
  const p: Parser = s.parser;
  const isFloatOperator = floatBinary.has(operator);
  let nuw = false;
  let nsw = false;
  let exact = false;
  let disjoint = false;
  let fastMath: FastMath | null = null;
  if (isFloatOperator) fastMath = parseFastMath(s);
  else {
    for (;;) {
      if (p.isWord("nuw")) nuw = true;
      else if (p.isWord("nsw")) nsw = true;
      else if (p.isWord("exact")) exact = true;
      else if (p.isWord("disjoint")) disjoint = true;
      else break;
      p.next();
    }
  }
  const type = p.parseValueType();
  const scalar = scalarOf(type);
  if (isFloatOperator ? !isFloat(scalar) : !isInt(scalar)) p.fail(`${operator} of ${formatType(type)}`, at);
  const lhs = s.value(type);
  p.expect(",");
  const rhs = s.value(type);
  const flags = { nuw, nsw, exact, ...(disjoint ? { disjoint: true as const } : {}) };
  return finishInstruction(s, { ...base, op: "binary", type, operator, lhs, rhs, fastMath, ...flags });
}

export function parseCast(s: FunctionScope, base: Base, op: string, at: number): IrInstruction {
  const p: Parser = s.parser;
  let nneg = false;
  for (;;) {
    if (p.isWord("nneg")) nneg = true;
    else if (!p.isWord("nuw") && !p.isWord("nsw")) break;
    p.next();
  }
  parseFastMath(s);
  const operand = s.typedValue();
  p.expect("to");
  const type = p.parseValueType();
  const operator = (op === "ptrtoaddr" ? "ptrtoint" : op) as CastOperator;
  const problem = castProblem(operator, operand.type, type);
  if (problem !== null) p.fail(problem, at);
  return finishInstruction(s, { ...base, op: "cast", type, operator, operand, nneg });
}

export function parseComparison(s: FunctionScope, base: Base, op: "icmp" | "fcmp", at: number): IrInstruction {
  const p: Parser = s.parser;
  const fastMath = op === "fcmp" ? parseFastMath(s) : null;
  if (op === "icmp") p.accept("samesign");
  const predicate = p.value;
  if (!p.at("word") || !(op === "icmp" ? intPredicates : floatPredicates).has(predicate)) p.failExpected("a predicate");
  p.next();
  const operandType = p.parseValueType();
  const scalar = scalarOf(operandType);
  if (op === "fcmp" ? !isFloat(scalar) : !isInt(scalar) && scalar.kind !== "ptr")
    p.fail(`${op} of ${formatType(operandType)}`, at);
  const lhs = s.value(operandType);
  p.expect(",");
  const rhs = s.value(operandType);
  const type = operandType.kind === "vector" ? vectorType(I1, operandType.length) : I1;
  if (op === "icmp") return finishInstruction(s, { ...base, op, type, predicate: predicate as IntPredicate, lhs, rhs });
  return finishInstruction(s, { ...base, op, type, predicate: predicate as FloatPredicate, lhs, rhs, fastMath });
}

export function parseSelect(s: FunctionScope, base: Base, at: number): IrInstruction {
  const p: Parser = s.parser;
  parseFastMath(s);
  const condition = s.typedValue();
  p.expect(",");
  const then = s.typedValue();
  p.expect(",");
  const otherwise = s.typedValue();
  const { type } = condition;
  const fits =
    sameType(type, I1) ||
    (type.kind === "vector" &&
      sameType(type.element, I1) &&
      then.type.kind === "vector" &&
      then.type.length === type.length);
  if (!fits) p.fail("the condition of select is an i1, or a vector of them as long as the values", at);
  if (!sameType(then.type, otherwise.type)) p.fail("select needs two values of one type", at);
  return finishInstruction(s, { ...base, op: "select", type: then.type, condition, then, else: otherwise });
}

export function parsePhi(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  parseFastMath(s);
  const type = p.parseValueType();
  const incoming: { value: IrValue; block: IrBlock }[] = [];
  do {
    if (!p.isPunctuation("[")) break;
    p.next();
    const value = s.value(type);
    p.expect(",");
    incoming.push({ value, block: s.blockName() });
    p.expect("]");
  } while (p.isPunctuation(",") && isBracketNext(s) && p.accept(","));
  if (incoming.length === 0) p.failExpected("'['");
  return finishInstruction(s, { ...base, op: "phi", type, incoming });
}

function isBracketNext(s: FunctionScope): boolean {
  const { text, end } = s.parser;
  let at = end;
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 10) at++;
  return text[at] === "[";
}
