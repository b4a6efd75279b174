/**
 * Takes constants out of indices, `p[i + 3]` becoming `(p + i) + 12 bytes`, so that addresses that differ by constants
 * share what is variable: instructions add a constant to an address for nothing (the idea is LLVM's
 * SeparateConstOffsetFromGEP).
 *
 * Needs: a legalised function and the spaces of its pointers. Afterwards: a gep on a pointer that is not generic is
 * either variable or one constant number of bytes. Addresses of 32 bits are modulo 2^32, and so is their arithmetic: no
 * wrap can make a difference (address-map.ts). Indices of 64 bits: wide-offsets.ts.
 */
import { NameSource, constI32, newBinary, newCast, newInstruction } from "../../ir/model/build.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type { BinaryOperator, GepInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { foldBinary } from "../../ir/model/fold.ts";
import { I32, I8, sameType, scalarBits } from "../../ir/model/types.ts";
import { signedIndex, takeWideConstant } from "./wide-offsets.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import type { PointerSpaces } from "../../analysis/pointers/pointer-spaces.ts";

/** How many additions deep a constant is looked for. */
const MAX_DEPTH = 4;

export function splitOffsets(fn: IrFunction, spaces: PointerSpaces): void {
  const names = new NameSource(fn);
  const replacements = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    const out: IrInstruction[] = [];
    for (const i of block.instructions) {
      if (
        i.op !== "gep" ||
        i.type.kind !== "ptr" ||
        (spaces.get(i) ?? "generic") === "generic" ||
        spaces.get(i) === "param"
      ) {
        out.push(i);
        continue;
      }
      const split = splitGep(i, names, out);
      if (split === null) out.push(i);
      else replacements.set(i, split);
    }
    block.instructions = out;
  }
  replaceUses(fn, replacements);
}

function splitGep(gep: GepInstruction, names: NameSource, out: IrInstruction[]): IrValue | null {
  const { constant, terms } = gepOffset(gep.sourceType, gep.indices);
  if (terms.length === 0) return null;
  let sum = constant;
  let found = constant !== 0;
  const isWide = gep.type.kind === "ptr" && gep.type.bits === 64;
  const rests = terms.map(({ index, scale }) => {
    const part = isWide && scalarBits(index.type) === 64 ? widePart(index) : takeConstant(index, MAX_DEPTH);
    if (part === null || part.constant === 0) return { index, scale, part: null };
    found = true;
    sum += Number(BigInt.asIntN(32, BigInt(part.constant) * BigInt(scale)));
    return { index, scale, part };
  });
  if (!found && isPlain(gep, isWide)) return null;
  const place = { block: gep.block, location: gep.location };
  let pointer: IrValue = gep.base;
  for (const { index, scale, part } of rests) {
    const made = part === null ? index : part.build(gep, names, out);
    const rest = isWide ? signedIndex(made) : narrow(made, gep, names, out);
    if (rest.kind === "const-int" && rest.value === 0n) continue;
    const step = newInstruction<GepInstruction>(place, {
      op: "gep",
      type: gep.type,
      name: names.fresh(gep.name),
      sourceType: { kind: "array", element: I8, length: scale },
      base: pointer,
      indices: [rest],
      inbounds: false,
    });
    out.push(step);
    pointer = step;
  }
  const total = Number(BigInt.asIntN(32, BigInt(sum)));
  if (total === 0) return pointer;
  const moved = newInstruction<GepInstruction>(place, {
    op: "gep",
    type: gep.type,
    name: names.fresh(gep.name),
    sourceType: I8,
    base: pointer,
    indices: [constI32(total)],
    inbounds: gep.inbounds,
  });
  out.push(moved);
  return moved;
}

function widePart(index: IrValue): Part | null {
  const part = takeWideConstant(index, MAX_DEPTH);
  if (part === null) return null;
  return { constant: part.constant, build: (at, names, out) => part.build({ at, names, out }) };
}

/** The form in which equal addresses are seen to be equal: one index of 32 bits, in elements of so many bytes. */
function isPlain({ sourceType, indices: [index, ...others] }: GepInstruction, isWide: boolean): boolean {
  return (
    others.length === 0 &&
    index !== undefined &&
    (isWide ? signedIndex(index) === index : scalarBits(index.type) === 32) &&
    sourceType.kind === "array" &&
    sameType(sourceType.element, I8)
  );
}

interface Part {
  readonly constant: number;
  /** The index without the constant, as an i32. */
  build(place: IrInstruction, names: NameSource, out: IrInstruction[]): IrValue;
}

/** The constant in a sum of integers, modulo 2^32; null where there is none. */
function takeConstant(value: IrValue, depth: number): Part | null {
  if (depth === 0) return null;
  if (value.kind === "const-int") {
    const constant = Number(BigInt.asIntN(32, BigInt.asIntN(value.type.bits, value.value)));
    return { constant, build: () => constI32(0) };
  }
  if (value.kind !== "instruction" || scalarBits(value.type) < 32) return null;
  if (
    value.op === "cast" &&
    (value.operator === "sext" || value.operator === "zext") &&
    scalarBits(value.operand.type) === 32
  ) {
    // Of the widened number an address has the lower half, which is the number.
    return takeConstant(value.operand, depth);
  }
  if (value.op !== "binary") return null;
  const { operator, lhs, rhs } = value;
  const combined = (op: BinaryOperator, left: Part | null, right: Part | null, constant: number): Part => ({
    constant,
    build: (place, names, out) =>
      combine(
        op,
        left === null ? narrow(lhs, place, names, out) : left.build(place, names, out),
        right === null ? narrow(rhs, place, names, out) : right.build(place, names, out),
        place,
        names,
        out,
      ),
  });
  switch (operator) {
    case "add":
    case "sub": {
      const [left, right] = [takeConstant(lhs, depth - 1), takeConstant(rhs, depth - 1)];
      const sign = operator === "add" ? 1 : -1;
      const constant = (left?.constant ?? 0) + sign * (right?.constant ?? 0);
      return constant === 0 ? null : combined(operator, left, right, constant | 0);
    }
    case "or": {
      if (rhs.kind !== "const-int" || rhs.value >= 1n << 20n || lowZeros(lhs, MAX_DEPTH) < rhs.value.toString(2).length)
        return null;
      const left = takeConstant(lhs, depth - 1);
      return {
        constant: (Number(rhs.value) + (left?.constant ?? 0)) | 0,
        build: (place, names, out) => (left === null ? narrow(lhs, place, names, out) : left.build(place, names, out)),
      };
    }
    case "shl":
    case "mul": {
      if (rhs.kind !== "const-int" || rhs.value >= 1n << 31n || (operator === "shl" && rhs.value > 31n)) return null;
      const left = takeConstant(lhs, depth - 1);
      if (left === null || left.constant === 0) return null;
      const factor = operator === "shl" ? 1n << rhs.value : rhs.value;
      const by = constI32(Number(rhs.value));
      return {
        constant: Number(BigInt.asIntN(32, BigInt(left.constant) * factor)),
        build: (place, names, out) => combine(operator, left.build(place, names, out), by, place, names, out),
      };
    }
    default:
      return null;
  }
}

function combine(
  operator: BinaryOperator,
  lhs: IrValue,
  rhs: IrValue,
  place: IrInstruction,
  names: NameSource,
  out: IrInstruction[],
): IrValue {
  const folded = foldBinary(operator, lhs, rhs);
  if (folded !== null) return folded;
  const made = newBinary({ block: place.block, location: place.location }, names.fresh(place.name), operator, lhs, rhs);
  out.push(made);
  return made;
}

/** The lower 32 bits of an index. */
function narrow(value: IrValue, place: IrInstruction, names: NameSource, out: IrInstruction[]): IrValue {
  if (scalarBits(value.type) === 32) return value;
  if (value.kind === "const-int") return constI32(Number(BigInt.asIntN(32, value.value)));
  if (
    value.kind === "instruction" &&
    value.op === "cast" &&
    (value.operator === "sext" || value.operator === "zext") &&
    scalarBits(value.operand.type) === 32
  )
    return value.operand;
  // Indices are signed.
  const made = newCast(
    { block: place.block, location: place.location },
    names.fresh(place.name),
    scalarBits(value.type) > 32 ? "trunc" : "sext",
    value,
    I32,
  );
  out.push(made);
  return made;
}

/** How many of the lowest bits are known to be zero. */
function lowZeros(value: IrValue, depth: number): number {
  if (value.kind === "const-int")
    return value.value === 0n ? 32 : value.value.toString(2).length - value.value.toString(2).lastIndexOf("1") - 1;
  if (depth === 0 || value.kind !== "instruction") return 0;
  if (value.op === "phi")
    return depth < 2 ? 0 : Math.min(...value.incoming.map((incoming) => lowZeros(incoming.value, depth - 2)));
  if (value.op !== "binary") return 0;
  const [a, b] = [(): number => lowZeros(value.lhs, depth - 1), (): number => lowZeros(value.rhs, depth - 1)];
  switch (value.operator) {
    case "shl":
      return value.rhs.kind === "const-int" ? Math.min(32, a() + Number(value.rhs.value)) : 0;
    case "mul":
      return Math.min(32, a() + b());
    case "and":
      return Math.max(a(), b());
    case "add":
    case "sub":
    case "or":
      return Math.min(a(), b());
    default:
      return 0;
  }
}
