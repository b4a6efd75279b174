/**
 * Which power of 2 an address is a multiple of.
 *
 * Question: what follows from the alignment of the variable that it points into, and from the steps of its indices. 1:
 * nothing is known. Clang says "align 1" of `*(uint4 *)(bytes + 16 * i)`, where NVIDIA's compiler trusts the type.
 * Used by: ptx/passes/pass-vectorize-memory.ts, profile/counted-accesses.ts.
 */
import type { IrValue } from "../../ir/model/ir.ts";
import { gepOffset } from "../../ir/model/gep.ts";

/** Nobody asks for more. */
const MOST = 16;
/** Longer chains of operations are not followed. */
const DEPTH = 12;

export function provenAlignment(pointer: IrValue): number {
  return Math.min(MOST, ofPointer(pointer, 0));
}

function ofPointer(pointer: IrValue, depth: number): number {
  if (depth > DEPTH) return 1;
  if (pointer.kind === "global") return Math.max(1, pointer.align);
  if (pointer.kind === "param") return Math.max(1, pointer.align ?? 1);
  const made = pointer.kind === "const-expr" ? pointer.instruction : pointer;
  if (!("op" in made)) return 1;
  switch (made.op) {
    case "alloca":
      return Math.max(1, made.align);
    case "cast":
      return made.operator === "addrspacecast" || made.operator === "bitcast" ? ofPointer(made.operand, depth + 1) : 1;
    case "gep": {
      const { constant, terms } = gepOffset(made.sourceType, made.indices);
      let align = Math.min(ofPointer(made.base, depth + 1), powerOf(constant));
      for (const { index, scale } of terms) align = Math.min(align, powerOf(scale) * ofNumber(index, depth + 1));
      return align;
    }
    default:
      return 1;
  }
}

/** The largest power of 2 that divides the number, up to the most that anybody asks for. */
function ofNumber(value: IrValue, depth: number): number {
  if (value.kind === "const-int") return powerOf(Number(BigInt.asIntN(32, value.value)));
  if (depth > DEPTH || value.kind !== "instruction") return 1;
  switch (value.op) {
    case "cast":
      return value.operator === "zext" || value.operator === "sext" ? ofNumber(value.operand, depth + 1) : 1;
    case "select":
      return Math.min(ofNumber(value.then, depth + 1), ofNumber(value.else, depth + 1));
    case "binary": {
      const [left, right] = [ofNumber(value.lhs, depth + 1), ofNumber(value.rhs, depth + 1)];
      switch (value.operator) {
        case "mul":
          return Math.min(MOST, left * right);
        case "shl":
          return value.rhs.kind === "const-int" ? Math.min(MOST, left * 2 ** Number(value.rhs.value)) : left;
        case "and":
          return Math.max(left, right);
        case "add":
        case "sub":
        case "or":
        case "xor":
          return Math.min(left, right);
        default:
          return 1;
      }
    }
    default:
      return 1;
  }
}

function powerOf(number: number): number {
  if (number === 0) return MOST;
  let power = 1;
  while (power < MOST && number % (2 * power) === 0) power *= 2;
  return power;
}
