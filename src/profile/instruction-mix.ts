/**
 * What the units of a multiprocessor do for an instruction: its class of work, and what kind of floating-point
 * operation it is. Products that are fused with sums are one operation already (ir/passes/pass-contract.ts).
 */
import type { CostClass } from "../ir/intrinsics/facts.ts";
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import type {
  BinaryInstruction,
  CallInstruction,
  CastInstruction,
  IrInstruction,
  IrType,
  IrValue,
} from "../ir/model/ir.ts";
import { scalarOf } from "../ir/model/types.ts";

/**
 * What a thread executes. Comparisons, selections and logic are integer work (alu), as on the hardware; control:
 * branches, calls and returns.
 */
export type WorkClass =
  | Exclude<CostClass, "none" | "fp64" | "fp16">
  | "fp64-add"
  | "fp64-mul"
  | "fp64-fma"
  | "fp64-other"
  | "fp16-add"
  | "fp16-mul"
  | "fp16-fma"
  | "fp16-other"
  | "control";

export const WORK_CLASSES: readonly WorkClass[] = [
  "fp32-add",
  "fp32-mul",
  "fp32-fma",
  "fp64-add",
  "fp64-mul",
  "fp64-fma",
  "fp64-other",
  "fp16-add",
  "fp16-mul",
  "fp16-fma",
  "fp16-other",
  "alu",
  "conversion",
  "special",
  "memory",
  "lanes",
  "barrier",
  "tensor",
  "control",
];

export interface Work {
  readonly work: WorkClass;
  /** Operations: several for one instruction on vectors. */
  readonly count: number;
}

/** null: nothing is executed. */
export function workOf(i: IrInstruction): Work | null {
  switch (i.op) {
    case "binary":
      return { work: isFloat(i.type) ? floatWork(i) : "alu", count: operationsOf(i.type) };
    case "icmp":
    case "fcmp":
    case "select":
      return { work: "alu", count: operationsOf(i.type) };
    case "cast":
      return castWork(i);
    case "gep":
      return { work: "alu", count: 1 };
    case "load":
    case "store":
    case "atomicrmw":
    case "cmpxchg":
      return { work: "memory", count: 1 };
    case "condbr":
    case "switch":
    case "ret":
      return { work: "control", count: 1 };
    case "call":
      return callWork(i);
    default:
      // A sign is part of the operand, a jump of the code's layout, and a phi is a register.
      return null;
  }
}

function callWork(call: CallInstruction): Work | null {
  const facts = calledIntrinsic(call);
  if (facts === null) return { work: "control", count: 1 };
  const { cost, operation } = facts;
  if (cost === "none") return null;
  const count = operationsOf(call.type);
  if (cost !== "fp64" && cost !== "fp16") return { work: cost, count };
  if (operation === "fma" || operation === "fmuladd") return { work: `${cost}-fma`, count };
  if (operation === "add" || operation === "sub") return { work: `${cost}-add`, count };
  return { work: operation === "mul" ? `${cost}-mul` : `${cost}-other`, count };
}

function floatWork({ operator, type, lhs, rhs }: BinaryInstruction): WorkClass {
  const format = formatOf(type);
  // x * 2 is x + x: NVIDIA's compiler adds.
  if (operator === "fmul" && [lhs, rhs].some(isTwo)) return `${format}-add`;
  if (operator === "fdiv" || operator === "frem") return format === "fp64" ? "fp64-other" : "special";
  return operator === "fmul" ? `${format}-mul` : `${format}-add`;
}

function isTwo(value: IrValue): boolean {
  return value.kind === "const-float" && value.type.kind === "float" && value.bits === TWO[value.type.format];
}

const TWO = { half: 0x4000n, bfloat: 0x4000n, float: 0x40000000n, double: 0x4000000000000000n } as const;

function castWork({ operator, type }: CastInstruction): Work | null {
  switch (operator) {
    case "bitcast":
    case "addrspacecast":
    case "ptrtoint":
    case "inttoptr":
    case "trunc":
    case "zext":
      return null; // the same register, read differently
    case "sext":
      return { work: "alu", count: operationsOf(type) };
    default:
      return { work: "conversion", count: operationsOf(type) };
  }
}

function isFloat(type: IrType): boolean {
  return scalarOf(type).kind === "float";
}

function formatOf(type: IrType): "fp16" | "fp32" | "fp64" {
  const scalar = scalarOf(type);
  if (scalar.kind !== "float" || scalar.format === "float") return "fp32";
  return scalar.format === "double" ? "fp64" : "fp16";
}

/** One for each element of a vector; two halves share one. */
function operationsOf(type: IrType): number {
  if (type.kind !== "vector") return 1;
  return isFloat(type) && formatOf(type) === "fp16" ? Math.ceil(type.length / 2) : type.length;
}
