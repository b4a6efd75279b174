/** Branches, switches and returns (LangRef, "Terminator Instructions"). */
import { I1, VOID, formatType, isInt, sameType } from "../model/types.ts";
import type { ConstInt, IrBlock, IrInstruction } from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";
import { finishInstruction } from "./parse-instruction-parts.ts";
import type { Base } from "./parse-instruction-parts.ts";

export function parseBranch(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  if (p.isWord("label")) return finishInstruction(s, { ...base, op: "br", type: VOID, target: s.label(), loop: null });
  const at = p.start;
  const condition = s.typedValue();
  if (!sameType(condition.type, I1)) p.fail("the condition of a branch is an i1", at);
  p.expect(",");
  const then = s.label();
  p.expect(",");
  const otherwise = s.label();
  return finishInstruction(s, { ...base, op: "condbr", type: VOID, condition, then, else: otherwise, loop: null });
}

export function parseSwitch(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  const at = p.start;
  const value = s.typedValue();
  if (!isInt(value.type)) p.fail("switch needs an integer", at);
  p.expect(",");
  const defaultTarget = s.label();
  p.expect("[");
  const cases: { value: ConstInt; target: IrBlock }[] = [];
  while (!p.accept("]")) {
    const caseAt = p.start;
    const constant = s.typedValue();
    if (constant.kind !== "const-int" || !sameType(constant.type, value.type))
      p.fail("a case is a constant of the switch's type", caseAt);
    p.expect(",");
    cases.push({ value: constant, target: s.label() });
  }
  return finishInstruction(s, { ...base, op: "switch", type: VOID, value, defaultTarget, cases });
}

export function parseReturn(s: FunctionScope, base: Base, at: number): IrInstruction {
  const p: Parser = s.parser;
  const expected = s.function.functionType.result;
  if (p.accept("void")) {
    if (expected.kind !== "void") p.fail(`a ${formatType(expected)} must be returned`, at);
    return finishInstruction(s, { ...base, op: "ret", type: VOID, value: null });
  }
  const value = s.typedValue();
  if (!sameType(value.type, expected))
    p.fail(`the function returns ${formatType(expected)}, not ${formatType(value.type)}`, at);
  return finishInstruction(s, { ...base, op: "ret", type: VOID, value });
}
