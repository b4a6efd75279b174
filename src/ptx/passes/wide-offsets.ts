/**
 * Constants in 64-bit indices of addresses (pass-split-offsets.ts). Addresses of 64 bits do not wrap around where sums
 * of 32 bits do: a constant moves out of an extended sum only where the sum is known not to overflow.
 */
import { type NameSource, constInt, newBinary, newCast } from "../../ir/model/build.ts";
import { foldBinary } from "../../ir/model/fold.ts";
import type { BinaryOperator, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { I64, scalarBits } from "../../ir/model/types.ts";

/** Where new instructions go. */
export interface OffsetPlace {
  readonly at: IrInstruction;
  readonly names: NameSource;
  readonly out: IrInstruction[];
}

export interface WidePart {
  readonly constant: number;
  /** The index without the constant, as an i64. */
  build(place: OffsetPlace): IrValue;
}

/** The constant in a sum of 64 bits; null where there is none. */
export function takeWideConstant(value: IrValue, depth: number): WidePart | null {
  if (value.kind === "const-int") {
    const constant = Number(BigInt.asIntN(64, value.value));
    return Math.abs(constant) < 2 ** 31 ? { constant, build: () => constInt(I64, 0) } : null;
  }
  if (depth === 0 || value.kind !== "instruction" || scalarBits(value.type) !== 64) return null;
  if (value.op === "cast") return ofExtension(value.operator, value.operand, value.nneg, depth);
  if (value.op !== "binary") return null;
  const { operator, lhs, rhs } = value;
  if (operator === "add" || operator === "sub") {
    const [left, right] = [takeWideConstant(lhs, depth - 1), takeWideConstant(rhs, depth - 1)];
    const constant = (left?.constant ?? 0) + (operator === "add" ? 1 : -1) * (right?.constant ?? 0);
    if (constant === 0 || Math.abs(constant) >= 2 ** 31) return null;
    return {
      constant,
      build: (place) => combine(operator, left?.build(place) ?? lhs, right?.build(place) ?? rhs, place),
    };
  }
  const isFactor = rhs.kind === "const-int" && (operator === "mul" || (operator === "shl" && rhs.value < 31n));
  const left = isFactor ? takeWideConstant(lhs, depth - 1) : null;
  if (left === null || left.constant === 0) return null;
  const by = (rhs as Extract<IrValue, { kind: "const-int" }>).value;
  const constant = left.constant * Number(operator === "shl" ? 1n << by : BigInt.asIntN(64, by));
  if (Math.abs(constant) >= 2 ** 31) return null;
  return { constant, build: (place) => combine(operator, left.build(place), rhs, place) };
}

/** Of `x + constant + …` in 32 bits, extended. */
function ofExtension(operator: string, sum: IrValue, nneg: boolean, depth: number): WidePart | null {
  if (operator !== "sext" && operator !== "zext") return null;
  if (depth === 0 || sum.kind !== "instruction" || sum.op !== "binary" || scalarBits(sum.type) !== 32) return null;
  if ((sum.operator !== "add" && sum.operator !== "sub") || sum.rhs.kind !== "const-int") return null;
  const isSigned = sum.nsw && (operator === "sext" || nneg);
  if (!isSigned && !(sum.nuw && operator === "zext")) return null;
  const given = sum.rhs.value;
  const size = Number(isSigned ? BigInt.asIntN(32, given) : BigInt.asUintN(32, given));
  const own = sum.operator === "add" ? size : -size;
  const extension = isSigned ? "sext" : "zext";
  const inner = ofExtension(extension, sum.lhs, false, depth - 1);
  const constant = own + (inner?.constant ?? 0);
  if (Math.abs(constant) >= 2 ** 31) return null;
  if (inner !== null) return { constant, build: (place) => inner.build(place) };
  return {
    constant,
    build: ({ at, names, out }) => {
      const extended = newCast(at, names.fresh(at.name), extension, sum.lhs, I64);
      out.push(extended);
      return extended;
    },
  };
}

function combine(operator: BinaryOperator, lhs: IrValue, rhs: IrValue, { at, names, out }: OffsetPlace): IrValue {
  const folded = foldBinary(operator, lhs, rhs);
  if (folded !== null) return folded;
  const made = newBinary(at, names.fresh(at.name), operator, lhs, rhs);
  out.push(made);
  return made;
}

/** The index as a signed number of 32 bits where it is one; else the index. */
export function signedIndex(index: IrValue): IrValue {
  const isExtended =
    index.kind === "instruction" &&
    index.op === "cast" &&
    (index.operator === "sext" || (index.operator === "zext" && index.nneg)) &&
    scalarBits(index.operand.type) === 32;
  return isExtended ? index.operand : index;
}
