/**
 * The transfer functions of the divergence analysis: the lane shape of a result, from the lane shapes of the operands.
 *
 * Integers and addresses of 32 bits keep offsets through additions, multiplications by constants, and bit operations
 * that do not mix base and offsets; everything else is uniform, the same in each row, or varying. Which intrinsics have
 * the same result in all lanes stands in the table of intrinsics (ir/intrinsics).
 *
 * Lattice: lane-shape.ts. Used by: divergence.ts.
 */
import { alignOfConstant } from "../../base/align.ts";
import type { IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type { BinaryOperator, CallInstruction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import {
  UNIFORM,
  VARYING,
  ZERO_OFFSETS,
  addShapes,
  isDisjoint,
  laneNumbers,
  meet,
  offsetShape,
  rowUniform,
  scaleShape,
  sharedRowShape,
  strideOf,
  uniform,
  varying,
  type LaneGeometry,
  type LaneShape,
} from "./lane-shape.ts";

/** Undefined: not reached yet by the fixpoint. */
export type ShapeOf = (value: IrValue) => LaneShape | undefined;

/** The shape of a call's result; undefined: an operand has none yet. */
export function shapeOfCall(call: CallInstruction, shapeOf: ShapeOf, geometry: LaneGeometry): LaneShape | undefined {
  if (call.callee.kind !== "function" || call.type.kind === "struct") return VARYING;
  const facts = intrinsicOf(call.callee.name);
  switch (facts?.uniformity) {
    case "grid":
    case "block":
    case "warp":
      return UNIFORM;
    case "mask": {
      // Groups of lanes with masks of their own (tiles) get results of their own.
      const shape = shapeOf(call.args[facts.reduction === null ? 0 : 1]!);
      if (shape === undefined) return undefined;
      return shape.kind === "uniform" ? UNIFORM : VARYING;
    }
    case "lane":
      return shapeOfOwnResult(call, facts, shapeOf, geometry);
    default:
  }
  const args = call.args.map(shapeOf);
  if (args.some((a) => a === undefined)) return undefined;
  if (args.every((a) => a!.kind === "uniform")) return UNIFORM;
  // A fused multiply-add is cheaper on eight vectors than on two scalars: WebAssembly has it for vectors only.
  return facts?.name === "llvm.fma" ? VARYING : (sharedRowShape(args as LaneShape[]) ?? VARYING);
}

/** An intrinsic whose result may be another one in each lane. */
function shapeOfOwnResult(
  call: CallInstruction,
  { register, shuffle }: IntrinsicFacts,
  shapeOf: ShapeOf,
  geometry: LaneGeometry,
): LaneShape | undefined {
  if (register?.register === "tid" && register.axis !== null) return geometry.tid[register.axis];
  if (register?.register === "laneid") return laneNumbers();
  if (shuffle === null || !shuffle.hasMask) return VARYING;
  const args = call.args.map(shapeOf);
  if (args.some((a) => a === undefined)) return undefined;
  const width = call.args[3]!;
  const isWholeWarp = width.kind === "const-int" && (width.value & 0x1f00n) === 0n;
  const isFromOneLane = shuffle.mode === "idx" && isWholeWarp && args[2]!.kind === "uniform";
  return isFromOneLane && args[0]!.kind === "uniform" ? UNIFORM : VARYING;
}

/** The shape of what an instruction computes of its operands; undefined: an operand has none yet. */
export function shapeOfOperation(i: IrInstruction, shapeOf: ShapeOf): LaneShape | undefined {
  const operands = operandsOf(i).map(shapeOf);
  if (operands.some((s) => s === undefined)) return undefined;
  const shapes = operands as LaneShape[];
  const allUniform = shapes.every((s) => s.kind === "uniform");
  const alike = (): LaneShape => (allUniform ? UNIFORM : (sharedRowShape(shapes) ?? VARYING));
  switch (i.op) {
    case "binary":
      return isWord(i) ? shapeOfInteger(i, shapes[0]!, shapes[1]!) : alike();
    case "gep":
      return shapeOfAddress(i, shapes[0]!, shapeOf);
    case "icmp": {
      if (allUniform) return UNIFORM;
      const [a, b] = shapes as [LaneShape, LaneShape];
      if (!isDecidedByBase(i.predicate, a, b, i.rhs)) return alike();
      return a.kind === "rowUniform" ? rowUniform(a.rows, ZERO_OFFSETS, 1) : UNIFORM;
    }
    case "cast":
      return shapeOfCast(i, shapes[0]!) ?? alike();
    case "freeze":
      return shapes[0]!;
    case "select": {
      if (shapes[0]!.kind !== "uniform") return alike();
      return meet(shapes[1]!, shapes[2]!);
    }
    case "load":
      if (shapes[0]!.kind === "uniform") return UNIFORM;
      // Lanes with one address read it one after the other, where the order of accesses counts.
      return i.ordering === null ? alike() : VARYING;
    case "atomicrmw":
    case "cmpxchg":
      return VARYING;
    default:
      return alike();
  }
}

function shapeOfAddress(
  gep: Extract<IrInstruction, { op: "gep" }>,
  base: LaneShape,
  shapeOf: ShapeOf,
): LaneShape | undefined {
  const { constant, terms } = gepOffset(gep.sourceType, gep.indices);
  let result = constant === 0 ? base : addShapes(base, uniform(alignOfConstant(constant)), 1);
  for (const { index, scale } of terms) result = addShapes(result, scaleShape(shapeOf(index)!, scale), 1);
  return result;
}

/** Null: as any function of the operand. */
function shapeOfCast(i: Extract<IrInstruction, { op: "cast" }>, from: LaneShape): LaneShape | null {
  const { operator } = i;
  if (operator === "addrspacecast") return from;
  const keepsBits = operator === "ptrtoint" || operator === "inttoptr";
  if (from.kind === "uniform") return keepsBits ? from : UNIFORM;
  if (!keepsBits && operator !== "trunc" && operator !== "zext" && operator !== "sext") return null;
  const same = sharedRowShape([from]);
  if (same !== null) return keepsBits ? from : same;
  const [fromBits, toBits] = [bitsOf(i.operand), bitsOf(i)];
  if (fromBits === 32 && toBits === 32) return from;
  return fromBits >= 32 && toBits >= 32 ? varying(strideOf(from)) : VARYING;
}

/** `base + P < C` with P inside [0, align) and C a multiple of align is decided by the base alone. */
function isDecidedByBase(predicate: string, a: LaneShape, b: LaneShape, rhs: IrValue): boolean {
  if (
    (a.kind !== "offset" && a.kind !== "rowUniform") ||
    b.kind !== "uniform" ||
    rhs.kind !== "const-int" ||
    !isDisjoint(a)
  )
    return false;
  const bound = Number(BigInt.asIntN(32, rhs.value));
  switch (predicate) {
    case "ult":
    case "slt":
    case "uge":
    case "sge":
      return (bound & (a.align - 1)) === 0;
    case "ugt":
    case "sgt":
    case "ule":
    case "sle":
      return ((bound + 1) & (a.align - 1)) === 0;
    default:
      return false;
  }
}

function shapeOfInteger(i: IrInstruction & { op: "binary" }, a: LaneShape, b: LaneShape): LaneShape {
  if (a.kind === "uniform" && b.kind === "uniform") {
    if (i.operator === "add" || i.operator === "sub" || i.operator === "or") return uniform(Math.min(a.align, b.align));
    if (i.operator === "mul") return uniform(Math.min(2 ** 31, a.align * b.align));
    if (i.operator === "shl" && i.rhs.kind === "const-int")
      return uniform(Math.min(2 ** 31, a.align * 2 ** Math.min(31, Number(i.rhs.value))));
    if (i.operator === "and") return uniform(Math.max(a.align, b.align));
    return UNIFORM;
  }
  // One base costs less than one for each row, and rows cost less than vectors.
  const byOffsets = shapeFromOffsets(i, a, b);
  return byOffsets.kind === "varying" ? (sharedRowShape([a, b]) ?? byOffsets) : byOffsets;
}

/** Where both operands are the same within each slice, so is the result. */
function alikeInSlices(a: LaneShape, b: LaneShape): LaneShape {
  return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
}

/** What the lanes' distances from their bases become. */
function shapeFromOffsets(i: IrInstruction & { op: "binary" }, a: LaneShape, b: LaneShape): LaneShape {
  const isPointerSized = bitsOf(i) === 32;
  const c = i.rhs.kind === "const-int" ? Number(BigInt.asIntN(32, i.rhs.value)) : null;
  const asStride = (s: LaneShape): LaneShape => (isPointerSized ? s : varying(strideOf(s)));
  switch (i.operator) {
    case "add":
      return asStride(addShapes(a, b, 1));
    case "sub":
      return asStride(addShapes(a, b, -1));
    case "mul":
      if (c !== null) return asStride(scaleShape(a, c));
      return alikeInSlices(a, b);
    case "shl":
      if (c !== null && c >= 0 && c < 32) return asStride(scaleShape(a, 2 ** c));
      return alikeInSlices(a, b);
    case "or":
      if (isPointerSized && c !== null && a.kind !== "varying") {
        // Low bits of the constant meet only the offsets when the base has none of them.
        if (c >= 0 && c < a.align && isDisjoint(a)) return withOffsets(a, (o) => o | c, a.align);
      }
      return alikeInSlices(a, b);
    case "and":
      if (isPointerSized && c !== null && a.kind !== "varying" && isDisjoint(a))
        return withOffsets(a, (o) => o & c, Math.max(a.align, alignOfConstant(c)));
      return alikeInSlices(a, b);
    case "lshr":
    case "udiv":
    case "ashr":
    case "sdiv": {
      const shift = shiftOf(i.operator, c);
      if (isPointerSized && shift !== null && a.kind !== "varying" && isDisjoint(a)) {
        // More bits than the offsets have: all of them go, and what is left is the base's.
        if (a.align < 2 ** shift) return withOffsets(a, () => 0, 1);
        return withOffsets(a, (o) => o >> shift, a.align / 2 ** shift);
      }
      return alikeInSlices(a, b);
    }
    default:
      return alikeInSlices(a, b);
  }
}

/** How many bits a shift, or an unsigned division by a power of two, takes away; null where that is not known. */
function shiftOf(operator: BinaryOperator, by: number | null): number | null {
  if (by === null) return null;
  if (operator === "lshr" || operator === "ashr") return by >= 0 && by < 32 ? by : null;
  return operator === "udiv" && by > 0 && (by & (by - 1)) === 0 ? Math.log2(by) : null;
}

/** Bases and offsets that share no bit, each changed by the same bitwise operation. */
function withOffsets(
  a: Exclude<LaneShape, { kind: "varying" }>,
  change: (offset: number) => number,
  align: number,
): LaneShape {
  const offsets = (a.kind === "uniform" ? ZERO_OFFSETS : a.offsets).map(change);
  return a.kind === "rowUniform" ? rowUniform(a.rows, offsets, align) : offsetShape(offsets, align);
}

function isWord(i: IrInstruction): boolean {
  return i.type.kind === "int" && (i.type.bits === 32 || i.type.bits === 64);
}

function bitsOf(v: IrValue): number {
  if (v.type.kind === "int") return v.type.bits;
  return v.type.kind === "ptr" ? 32 : 0;
}
