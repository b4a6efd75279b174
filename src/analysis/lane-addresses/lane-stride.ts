/**
 * The difference between the values of one thread and of the next by threadIdx.x. Loads whose addresses are a few bytes
 * apart are a few sectors for the whole warp; those that are far apart are a sector for each thread.
 *
 * Lattice: a known number; "far", a multiple by a factor that is no constant; null, not known. Evaluated backwards from
 * one value, on demand. Used by: pass-unroll-counted.ts of PTX.
 *
 * Why divergence.ts does not answer this: PTX is made for blocks of any shape, and without simplified control flow, so
 * that the lanes' offsets are not known; and whether lanes part does not matter here. The table of intrinsics is
 * shared.
 */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type { IrInstruction, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { stepOf } from "../loops/induction.ts";

/** A difference; "far": it has a factor that is no constant; null: not known. */
export type LaneStride = number | "far" | null;

/** How many operations deep is looked. */
const MAX_DEPTH = 16;

export function laneStride(value: IrValue, depth: number = MAX_DEPTH): LaneStride {
  // Parameters, constants, addresses of variables: the same for all threads.
  if (value.kind !== "instruction") return 0;
  if (depth === 0) return null;
  const of = (operand: IrValue): LaneStride => laneStride(operand, depth - 1);
  switch (value.op) {
    case "call":
      return value.callee.kind === "function" ? ofRegister(value.callee.name) : null;
    case "cast":
      return value.operator === "sext" || value.operator === "zext" || value.operator === "trunc"
        ? of(value.operand)
        : null;
    case "phi":
      return ofPhi(value, depth);
    case "gep": {
      const { terms } = gepOffset(value.sourceType, value.indices);
      return terms.reduce((sum: LaneStride, { index, scale }) => add(sum, times(of(index), scale)), of(value.base));
    }
    case "binary":
      return ofBinary(value, of);
    default:
      return null;
  }
}

function ofRegister(name: string): LaneStride {
  const facts = intrinsicOf(name);
  if (facts === null || facts.register === null) return null;
  const { register, axis } = facts.register;
  if (register === "laneid") return 1;
  // Where a block's rows are shorter than a warp, neighbours differ in y.
  if (register === "tid") return axis === "x" ? 1 : null;
  return facts.uniformity === "lane" ? null : 0;
}

/** A counter keeps the distance that it begins with, if every step is the same for all threads. */
function ofPhi(phi: PhiInstruction, depth: number): LaneStride {
  let stride: LaneStride | undefined;
  for (const { value } of phi.incoming) {
    const steps = stepsFrom(phi, value);
    if (steps !== null) {
      if (steps.some((step) => laneStride(step, depth - 1) !== 0)) return null;
      continue;
    }
    const own = laneStride(value, depth - 1);
    if (own === null || (stride !== undefined && stride !== own)) return null;
    stride = own;
  }
  return stride ?? null;
}

/** What is added to the phi, in integers or in an address; null where `next` is no such sum. */
function stepsFrom(phi: PhiInstruction, next: IrValue): readonly IrValue[] | null {
  if (next.kind === "instruction" && next.op === "gep") return next.base === phi ? next.indices : null;
  const step = stepOf(next, phi);
  return step?.sign === 1 ? [step.step] : null;
}

function ofBinary(
  { operator, lhs, rhs }: Extract<IrInstruction, { op: "binary" }>,
  of: (value: IrValue) => LaneStride,
): LaneStride {
  switch (operator) {
    case "add":
      return add(of(lhs), of(rhs));
    case "sub":
      return add(of(lhs), times(of(rhs), -1));
    case "mul": {
      if (rhs.kind === "const-int") return times(of(lhs), Number(BigInt.asIntN(32, rhs.value)));
      const [a, b] = [of(lhs), of(rhs)];
      if (a === null || b === null) return null;
      return a === 0 && b === 0 ? 0 : "far";
    }
    case "shl":
      return rhs.kind === "const-int" && rhs.value < 31n ? times(of(lhs), 2 ** Number(rhs.value)) : null;
    default:
      return of(lhs) === 0 && of(rhs) === 0 ? 0 : null;
  }
}

function add(a: LaneStride, b: LaneStride): LaneStride {
  if (a === null || b === null) return null;
  // Two factors that are no constants might cancel each other.
  if (a === "far" || b === "far")
    return a === 0 || b === 0 || typeof a === "number" || typeof b === "number" ? "far" : null;
  return a + b;
}

function times(a: LaneStride, factor: number): LaneStride {
  if (typeof a === "number") return a * factor;
  return factor === 0 ? 0 : a;
}
