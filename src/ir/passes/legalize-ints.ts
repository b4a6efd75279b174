/**
 * Arithmetic on integers of widths that no machine has, in terms of those it has (Warren, "Hacker's Delight", chapters
 * 2 and 8).
 *
 * Narrow ints (up to 64 bits) arrive and leave in their container with the upper bits zero; wide ones in 64-bit pieces,
 * lowest first.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { constI32, constI64 } from "../model/build.ts";
import type { BinaryOperator, CastOperator, IntPredicate, IntType, IrType, IrValue } from "../model/ir.ts";
import { startBlock } from "../model/emitter.ts";
import type { Emitter } from "../model/emitter.ts";
import { containerOf, isWide } from "./legalize-types.ts";
import { I32, I64, formatType, intType, isFloat, isInt } from "../model/types.ts";

// ---------------------------------------------------------------- narrow

/** Clears the bits above `width` in a container. */
export function mask(e: Emitter, value: IrValue, width: number): IrValue {
  const type = value.type as IntType;
  return type.bits === width ? value : e.and(value, e.like(value, (1n << BigInt(width)) - 1n));
}

/** Copies the sign bit, bit width-1, into the bits above. */
export function signExtendInRegister(e: Emitter, value: IrValue, width: number): IrValue {
  const { bits } = value.type as IntType;
  return bits === width ? value : e.ashr(e.shl(value, bits - width), bits - width);
}

export function narrowBinary(e: Emitter, operator: BinaryOperator, width: number, lhs: IrValue, rhs: IrValue): IrValue {
  switch (operator) {
    case "and":
    case "or":
    case "xor":
    case "lshr":
    case "udiv":
    case "urem":
      return e.binary(operator, lhs, rhs);
    case "add":
    case "sub":
    case "mul":
    case "shl":
      return mask(e, e.binary(operator, lhs, rhs), width);
    case "ashr":
      return mask(e, e.binary(operator, signExtendInRegister(e, lhs, width), rhs), width);
    case "sdiv":
    case "srem":
      return mask(
        e,
        e.binary(operator, signExtendInRegister(e, lhs, width), signExtendInRegister(e, rhs, width)),
        width,
      );
    default:
      return bug(`${operator} of integers`);
  }
}

export function narrowCompare(e: Emitter, predicate: IntPredicate, width: number, lhs: IrValue, rhs: IrValue): IrValue {
  if (!predicate.startsWith("s")) return e.icmp(predicate, lhs, rhs);
  return e.icmp(predicate, signExtendInRegister(e, lhs, width), signExtendInRegister(e, rhs, width));
}

// ---------------------------------------------------------------- wide

type Pieces = readonly IrValue[];

/** Clears the unused bits of the highest piece. */
function trimmed(e: Emitter, pieces: IrValue[], width: number): IrValue[] {
  const rest = width % 64;
  if (rest !== 0) pieces[pieces.length - 1] = mask(e, pieces.at(-1) as IrValue, rest);
  return pieces;
}

/** The pieces with the sign in the unused bits. */
function signed(e: Emitter, pieces: Pieces, width: number): IrValue[] {
  const rest = width % 64;
  return rest === 0 ? [...pieces] : [...pieces.slice(0, -1), signExtendInRegister(e, pieces.at(-1) as IrValue, rest)];
}

export function wideBinary(e: Emitter, operator: BinaryOperator, width: number, lhs: Pieces, rhs: Pieces): IrValue[] {
  switch (operator) {
    case "and":
    case "or":
    case "xor":
      return lhs.map((piece, i) => e.binary(operator, piece, rhs[i] as IrValue));
    case "add":
      return trimmed(e, addWide(e, lhs, rhs, false), width);
    case "sub":
      return trimmed(e, addWide(e, lhs, rhs, true), width);
    case "mul":
      return trimmed(e, mulWide(e, lhs, rhs), width);
    case "shl":
      return trimmed(e, shiftWide(e, lhs, rhs, "left", constI64(0)), width);
    case "lshr":
      return shiftWide(e, lhs, rhs, "right", constI64(0));
    case "ashr": {
      const extended = signed(e, lhs, width);
      return trimmed(e, shiftWide(e, extended, rhs, "right", e.ashr(extended.at(-1) as IrValue, 63)), width);
    }
    case "udiv":
    case "urem": {
      const { quotient, remainder } = divideWide(e, lhs, rhs);
      return operator === "udiv" ? quotient : remainder;
    }
    case "sdiv":
    case "srem":
      return trimmed(e, divideSigned(e, operator, signed(e, lhs, width), signed(e, rhs, width)), width);
    default:
      return bug(`${operator} of integers`);
  }
}

/** On magnitudes; the quotient is negative where the signs differ, the remainder has the dividend's sign. */
function divideSigned(e: Emitter, operator: "sdiv" | "srem", lhs: Pieces, rhs: Pieces): IrValue[] {
  const signOf = (pieces: Pieces): IrValue => e.ashr(pieces.at(-1) as IrValue, 63);
  // x ^ s - s is -x where s is all ones.
  const negateIf = (sign: IrValue, pieces: Pieces): IrValue[] =>
    addWide(
      e,
      pieces.map((piece) => e.xor(piece, sign)),
      pieces.map(() => sign),
      true,
    );
  const [a, b] = [signOf(lhs), signOf(rhs)];
  const { quotient, remainder } = divideWide(e, negateIf(a, lhs), negateIf(b, rhs));
  return operator === "sdiv" ? negateIf(e.xor(a, b), quotient) : negateIf(a, remainder);
}

/** Shift and subtract, one bit a turn ("Hacker's Delight", section 9-4). Division by zero gives some value. */
function divideWide(e: Emitter, lhs: Pieces, rhs: Pieces): { quotient: IrValue[]; remainder: IrValue[] } {
  const before = e.block;
  const loop = e.newBlock("divide");
  const done = e.newBlock("divide.done");
  e.br(loop);
  startBlock(e, loop);
  const turn = e.phi(I32, [{ value: constI32(0), block: before }]);
  // The dividend leaves at the top while the quotient comes in at the bottom.
  const dividend = lhs.map((piece) => e.phi(I64, [{ value: piece, block: before }]));
  const rest = lhs.map(() => e.phi(I64, [{ value: constI64(0), block: before }]));
  const overflow = e.icmp("slt", rest.at(-1) as IrValue, 0);
  const shifted = shiftInBit(e, rest, e.lshr(dividend.at(-1) as IrValue, 63));
  const fits = e.or(overflow, wideCompare(e, "uge", 64 * lhs.length, shifted, rhs));
  const less = addWide(e, shifted, rhs, true);
  const nextRest = shifted.map((piece, i) => e.select(fits, less[i] as IrValue, piece));
  const nextDividend = shiftInBit(e, dividend, e.cast("zext", fits, I64));
  const nextTurn = e.add(turn, constI32(1));
  turn.incoming.push({ value: nextTurn, block: loop });
  dividend.forEach((phi, i) => phi.incoming.push({ value: nextDividend[i] as IrValue, block: loop }));
  rest.forEach((phi, i) => phi.incoming.push({ value: nextRest[i] as IrValue, block: loop }));
  e.condBr(e.icmp("ult", nextTurn, 64 * lhs.length), loop, done);
  startBlock(e, done);
  return { quotient: nextDividend, remainder: nextRest };
}

/** x << 1 | bit */
function shiftInBit(e: Emitter, pieces: Pieces, bit: IrValue): IrValue[] {
  return pieces.map((piece, i) => e.or(e.shl(piece, 1), i === 0 ? bit : e.lshr(pieces[i - 1] as IrValue, 63)));
}

function addWide(e: Emitter, lhs: Pieces, rhs: Pieces, subtract: boolean): IrValue[] {
  let carry: IrValue | null = null;
  return lhs.map((a, i) => {
    const b = rhs[i] as IrValue;
    const first = subtract ? e.sub(a, b) : e.add(a, b);
    let over = subtract ? e.icmp("ult", a, b) : e.icmp("ult", first, a);
    let sum = first;
    if (carry !== null) {
      const extended = e.cast("zext", carry, I64);
      sum = subtract ? e.sub(first, extended) : e.add(first, extended);
      over = e.or(over, subtract ? e.icmp("ult", first, extended) : e.icmp("ult", sum, first));
    }
    carry = over;
    return sum;
  });
}

/** The 128-bit product of two 64-bit values, as low and high half: four products of 32-bit halves. */
export function multiplyFull(e: Emitter, a: IrValue, b: IrValue): [IrValue, IrValue] {
  const low32 = constI64(0xffffffff);
  const [a0, a1] = [e.and(a, low32), e.lshr(a, 32)];
  const [b0, b1] = [e.and(b, low32), e.lshr(b, 32)];
  const t0 = e.mul(a0, b0);
  const t1 = e.add(e.mul(a1, b0), e.lshr(t0, 32));
  const t2 = e.add(e.mul(a0, b1), e.and(t1, low32));
  return [e.mul(a, b), e.add(e.add(e.mul(a1, b1), e.lshr(t1, 32)), e.lshr(t2, 32))];
}

/** The same for signed factors. */
export function multiplyFullSigned(e: Emitter, a: IrValue, b: IrValue): [IrValue, IrValue] {
  const [low, high] = multiplyFull(e, a, b);
  const fix = e.add(e.and(e.ashr(a, 63), b), e.and(e.ashr(b, 63), a));
  return [low, e.sub(high, fix)];
}

function mulWide(e: Emitter, lhs: Pieces, rhs: Pieces): IrValue[] {
  const zero: IrValue = constI64(0);
  let result: IrValue[] = lhs.map(() => zero);
  for (const [i, a] of lhs.entries()) {
    for (const [j, b] of rhs.entries()) {
      if (i + j >= lhs.length) break;
      const term: IrValue[] = lhs.map(() => zero);
      if (i + j + 1 < lhs.length) {
        const [low, high] = multiplyFull(e, a, b);
        term[i + j] = low;
        term[i + j + 1] = high;
      } else term[i + j] = e.mul(a, b);
      result = addWide(e, result, term, false);
    }
  }
  return result;
}

/**
 * A shift by any amount: first by whole pieces, chosen by comparison, then by the bits that are left. `fill` comes in
 * from beyond. An amount beyond the width is poison in LLVM; here it gives some value.
 */
function shiftWide(e: Emitter, pieces: Pieces, amount: Pieces, direction: "left" | "right", fill: IrValue): IrValue[] {
  const by = amount[0] as IrValue;
  const whole = e.lshr(by, 6);
  const bits = e.and(by, constI64(63));
  const count = pieces.length;
  const at = (values: Pieces, index: number): IrValue => values[index] ?? fill;
  let moved: IrValue[] = [...pieces];
  for (let k = 1; k < count; k++) {
    const isThis = e.icmp("eq", whole, k);
    const source =
      direction === "left"
        ? (i: number): IrValue => (i - k >= 0 ? at(pieces, i - k) : constI64(0))
        : (i: number): IrValue => at(pieces, i + k);
    moved = moved.map((value, i) => e.select(isThis, source(i), value));
  }
  // x << b | y >> 64-b, where b may be 0: the second shift is taken in two steps.
  const opposite = e.sub(constI64(63), bits);
  return moved.map((value, i) => {
    if (direction === "left") {
      const below = i === 0 ? constI64(0) : (moved[i - 1] as IrValue);
      return e.or(e.shl(value, bits), e.lshr(e.lshr(below, 1), opposite));
    }
    const above = i === count - 1 ? fill : (moved[i + 1] as IrValue);
    return e.or(e.lshr(value, bits), e.shl(e.shl(above, 1), opposite));
  });
}

export function wideCompare(e: Emitter, predicate: IntPredicate, width: number, lhs: Pieces, rhs: Pieces): IrValue {
  if (predicate === "eq" || predicate === "ne") {
    const difference = lhs.map((piece, i) => e.xor(piece, rhs[i] as IrValue)).reduce((a, b) => e.or(a, b));
    return e.icmp(predicate, difference, 0);
  }
  const isSigned = predicate.startsWith("s");
  const a = isSigned ? signed(e, lhs, width) : lhs;
  const b = isSigned ? signed(e, rhs, width) : rhs;
  const unsignedPredicate = `u${predicate.slice(1)}` as IntPredicate;
  let result = e.icmp(unsignedPredicate, a[0] as IrValue, b[0] as IrValue);
  for (let i = 1; i < a.length; i++) {
    const [x, y] = [a[i] as IrValue, b[i] as IrValue];
    const here = i === a.length - 1 ? predicate : unsignedPredicate;
    result = e.select(e.icmp("eq", x, y), result, e.icmp(here, x, y));
  }
  return result;
}

// ---------------------------------------------------------------- casts

/** A cast between scalars of any width, from parts to parts. Bitcasts are the caller's. */
export function castParts(e: Emitter, operator: CastOperator, from: IrType, to: IrType, parts: Pieces): IrValue[] {
  const first = parts[0] as IrValue;
  if (isWide(from) || isWide(to)) return wideCast(e, operator, from, to, parts);
  const container = isInt(to) ? containerOf(to) : to;
  const width = isInt(to) ? to.bits : 0;
  switch (operator) {
    case "trunc":
      return [mask(e, e.cast("trunc", first, container), width)];
    case "zext":
      return [e.cast("zext", first, container)];
    case "sext":
      return [mask(e, e.cast("sext", signExtendInRegister(e, first, (from as IntType).bits), container), width)];
    case "sitofp":
      return [e.cast(operator, signExtendInRegister(e, first, (from as IntType).bits), to)];
    case "fptosi":
    case "fptoui":
    case "ptrtoint":
      return [mask(e, e.cast(operator, first, container), width)];
    default:
      return [e.cast(operator, first, container)];
  }
}

function wideCast(e: Emitter, operator: CastOperator, from: IrType, to: IrType, parts: Pieces): IrValue[] {
  if (isFloat(from) || isFloat(to))
    throw unsupported(`${operator} from ${formatType(from)} to ${formatType(to)}`, e.location ?? undefined);
  if (to.kind === "ptr") return [e.cast("inttoptr", e.zextOrTrunc(parts[0] as IrValue, intType(to.bits)), to)];
  const source =
    from.kind === "ptr"
      ? [e.zextOrTrunc(e.cast("ptrtoint", parts[0] as IrValue, intType(from.bits)), I64)]
      : parts.map((part) => part);
  const width = (to as IntType).bits;
  if (width <= 64) return [mask(e, e.zextOrTrunc(source[0] as IrValue, containerOf(to as IntType)), width)];
  const count = Math.ceil(width / 64);
  let wide: IrValue[];
  let fill: IrValue = constI64(0);
  if (operator === "sext") {
    const { bits } = from as IntType;
    wide =
      bits <= 64 ? [e.sextOrTrunc(signExtendInRegister(e, source[0] as IrValue, bits), I64)] : signed(e, source, bits);
    fill = e.ashr(wide.at(-1) as IrValue, 63);
  } else wide = source.map((piece) => e.cast("zext", piece, I64));
  return trimmed(
    e,
    Array.from({ length: count }, (_, i) => wide[i] ?? fill),
    width,
  );
}

// ---------------------------------------------------------------- bits

/** One part seen as `bits` bits of an integer. */
export interface BitField {
  readonly value: IrValue;
  readonly bits: number;
}

/**
 * Regroups bits: the fields joined, lowest first, and cut into parts of the given widths (each at most 64 bits, in its
 * container).
 */
export function regroup(e: Emitter, fields: readonly BitField[], widths: readonly number[]): IrValue[] {
  const result: IrValue[] = [];
  let position = 0;
  for (const width of widths) {
    const container = containerOf(intType(width));
    let value: IrValue | null = null;
    let at = 0;
    for (const field of fields) {
      const low = Math.max(position, at);
      const high = Math.min(position + width, at + field.bits);
      if (low < high) {
        // Bits [low, high) of the whole: from `low - at` in the field to `low - position` in the result.
        let piece = e.lshr(field.value, low - at);
        if (high < at + field.bits) piece = mask(e, piece, high - low);
        piece = e.shl(e.zextOrTrunc(piece, container), low - position);
        value = value === null ? piece : e.or(value, piece);
      }
      at += field.bits;
    }
    result.push(value ?? e.zero(container));
    position += width;
  }
  return result;
}
