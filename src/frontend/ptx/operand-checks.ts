/** What is wrong with an instruction's operands, as far as their registers' types say it (PTX ISA 8.5, 9.1 and 9.4). */
import { ptxType } from "../../ir/inline-ptx/emit.ts";
import type { PtxOperand } from "../../ir/inline-ptx/syntax.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import type { PtxStatement } from "./syntax.ts";

/** All their operands have the instruction's last type, but for those of `SHIFTS`. */
const UNIFORM: ReadonlySet<string> = new Set([
  "add",
  "sub",
  "min",
  "max",
  "and",
  "or",
  "xor",
  "not",
  "neg",
  "abs",
  "fma",
  "div",
  "rem",
]);

/** Their operands may be predicates. */
const TAKES_PREDICATES: ReadonlySet<string> = new Set([
  "setp",
  "set",
  "selp",
  "vote",
  "bar",
  "barrier",
  "elect",
  "shfl",
  "match",
  "wgmma",
  "mbarrier",
  "isspacep",
  "testp",
  "lop3",
]);

export function checkOperands(statement: PtxStatement, emitter: FunctionEmitter): void {
  const [word = ""] = statement.opcode;
  const takesPredicates = TAKES_PREDICATES.has(word) || statement.opcode.includes("pred") || statement.call !== null;
  if (!takesPredicates && statement.operands.some(namesPredicate))
    emitter.fail(`an operand of '${statement.text}' is a predicate`);
  if (!UNIFORM.has(word)) return;
  const type = ptxType(statement.opcode.at(-1) ?? "");
  if (type === null) return;
  for (const operand of statement.operands) {
    const register = registerType(operand);
    if (register === null) continue;
    const isFloatRegister = register.kind === "float";
    const agrees =
      register.bits === type.bits &&
      (register.kind === "predicate") === (type.kind === "predicate") &&
      (!isFloatRegister || type.kind === "float" || type.kind === "bits") &&
      (type.kind !== "float" || isFloatRegister || register.kind === "bits");
    if (!agrees) emitter.fail(`the operands of '${statement.text}' do not have its type`);
  }
}

function namesPredicate(operand: PtxOperand): boolean {
  if (operand.kind === "vector") return operand.elements.some(namesPredicate);
  if (operand.kind === "address") return namesPredicate(operand.base);
  return registerType(operand)?.kind === "predicate";
}

/** A guard is a predicate. */
export function checkGuard({ guard }: PtxStatement, emitter: FunctionEmitter): void {
  if (guard !== null && registerType(guard.operand)?.kind !== "predicate")
    emitter.fail("a guard is a register of type .pred");
}

function registerType(operand: PtxOperand): ReturnType<typeof ptxType> {
  return operand.kind === "register" ? ptxType(operand.register.type) : null;
}
