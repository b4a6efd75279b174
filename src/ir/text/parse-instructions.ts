/**
 * Every instruction that Clang emits for device code (LangRef, "Instruction Reference"): each with the function that
 * parses it.
 */
import { VOID, isFloat, scalarOf } from "../model/types.ts";
import type { BinaryOperator, IrInstruction } from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";
import { finishInstruction, parseFastMath, pointerOperand } from "./parse-instruction-parts.ts";
import {
  intBinary,
  floatBinary,
  casts,
  parseBinary,
  parseCast,
  parseComparison,
  parseSelect,
  parsePhi,
} from "./parse-arithmetic.ts";
import {
  parseLoad,
  parseStore,
  parseAlloca,
  parseGep,
  parseScope,
  parseOrdering,
  parseAtomicRmw,
  parseCmpxchg,
} from "./parse-memory.ts";
import { parseAggregateAccess, parseVectorAccess } from "./parse-elements.ts";
import { parseBranch, parseSwitch, parseReturn } from "./parse-control.ts";
import { parseCall } from "./parse-calls.ts";

const unsupportedOps: ReadonlySet<string> = new Set([
  "invoke",
  "landingpad",
  "resume",
  "indirectbr",
  "callbr",
  "catchswitch",
  "catchpad",
  "cleanuppad",
  "catchret",
  "cleanupret",
]);

export function parseInstruction(s: FunctionScope): IrInstruction {
  const p: Parser = s.parser;
  if (!p.at("word")) p.failExpected("an instruction");
  const op = p.value;
  const at = p.start;
  p.next();
  const base = { kind: "instruction" as const, name: "", location: null, block: s.block };
  switch (op) {
    case "load":
      return parseLoad(s, base);
    case "store":
      return parseStore(s, base);
    case "getelementptr":
      return parseGep(s, base, at);
    case "call":
      return parseCall(s, base);
    case "tail":
    case "musttail":
    case "notail":
      p.expect("call");
      return parseCall(s, base);
    case "br":
      return parseBranch(s, base);
    case "phi":
      return parsePhi(s, base);
    case "icmp":
    case "fcmp":
      return parseComparison(s, base, op, at);
    case "select":
      return parseSelect(s, base, at);
    case "alloca":
      return parseAlloca(s, base);
    case "ret":
      return parseReturn(s, base, at);
    case "switch":
      return parseSwitch(s, base);
    case "unreachable":
      return finishInstruction(s, { ...base, op: "unreachable", type: VOID });
    case "fneg": {
      const fastMath = parseFastMath(s);
      const operand = s.typedValue();
      if (!isFloat(scalarOf(operand.type))) p.fail("fneg needs a floating-point operand", at);
      return finishInstruction(s, { ...base, op: "fneg", type: operand.type, operand, fastMath });
    }
    case "freeze": {
      const operand = s.typedValue();
      return finishInstruction(s, { ...base, op: "freeze", type: operand.type, operand });
    }
    case "extractvalue":
    case "insertvalue":
      return parseAggregateAccess(s, base, op, at);
    case "extractelement":
    case "insertelement":
    case "shufflevector":
      return parseVectorAccess(s, base, op, at);
    case "atomicrmw":
      return parseAtomicRmw(s, base, at);
    case "cmpxchg":
      return parseCmpxchg(s, base, at);
    case "fence": {
      const scope = parseScope(s);
      return finishInstruction(s, { ...base, op: "fence", type: VOID, ordering: parseOrdering(s), scope });
    }
    case "va_arg": {
      const list = pointerOperand(s);
      p.expect(",");
      return finishInstruction(s, { ...base, op: "va_arg", type: p.parseValueType(), list });
    }
  }
  if (intBinary.has(op) || floatBinary.has(op)) return parseBinary(s, base, op as BinaryOperator, at);
  if (casts.has(op)) return parseCast(s, base, op, at);
  if (unsupportedOps.has(op)) throw p.unsupported(`the instruction ${op}`);
  return p.fail(`${op} is not an instruction`, at);
}
