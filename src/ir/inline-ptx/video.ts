/**
 * PTX video instructions as IR: operations on 32-bit words, on halfwords or bytes of them, and on their two halfwords
 * or four bytes at once (PTX ISA 8.5, 9.7.17 "Video Instructions").
 *
 * Intermediate values have more bits than a register: those of whole words are computed in 64 bits, those of parts in
 * 32. The meaning is the ISA's pseudocode; what an H100 makes of the operations on one value departs from it at places
 * (`d.h1` as a destination, saturation to a part of a word, overflow before `.min` and `.max`).
 */
import { constInt } from "../model/build.ts";
import type { IntPredicate, IntType, IrValue } from "../model/ir.ts";
import type { PtxHandler } from "./handler.ts";
import type { PtxCall, PtxEmitter, PtxType } from "./emit.ts";
import type { PtxOperand } from "./syntax.ts";
import { I1, I32, I64, intType } from "../model/types.ts";

const has = (c: PtxCall, word: string): boolean => c.words.includes(word);
const isSigned = (type: PtxType | undefined): boolean => type?.kind === "signed";
const PREDICATES: Readonly<Record<string, IntPredicate>> = {
  eq: "eq",
  ne: "ne",
  lt: "slt",
  le: "sle",
  gt: "sgt",
  ge: "sge",
};

const minimum = (e: PtxEmitter, a: IrValue, b: IrValue, type: IntType): IrValue =>
  e.call(`llvm.smin.i${type.bits}`, type, [a, b]);
const maximum = (e: PtxEmitter, a: IrValue, b: IrValue, type: IntType): IrValue =>
  e.call(`llvm.smax.i${type.bits}`, type, [a, b]);

/** Clamps to the range of `bits` bits. */
function clamp(e: PtxEmitter, value: IrValue, type: IntType, bits: number, signed: boolean): IrValue {
  const low = signed ? -(1n << BigInt(bits - 1)) : 0n;
  const high = signed ? (1n << BigInt(bits - 1)) - 1n : (1n << BigInt(bits)) - 1n;
  return minimum(e, maximum(e, value, constInt(type, low), type), constInt(type, high), type);
}

/** What the instruction does with two values, in signed integers wide enough for the result. */
function operate(e: PtxEmitter, c: PtxCall, operation: string, a: IrValue, b: IrValue, type: IntType): IrValue {
  switch (operation) {
    case "vadd":
      return e.binary("add", a, b);
    case "vsub":
      return e.binary("sub", a, b);
    case "vmin":
      return minimum(e, a, b, type);
    case "vmax":
      return maximum(e, a, b, type);
    case "vabsdiff":
      return e.call(`llvm.abs.i${type.bits}`, type, [e.binary("sub", a, b), constInt(I1, 0)]);
    case "vavrg": {
      // Halves are rounded away from zero.
      const sum = e.binary("add", a, b);
      return e.binary(
        "ashr",
        e.binary("add", sum, e.coerce(e.icmp("sge", sum, constInt(type, 0)), type)),
        constInt(type, 1),
      );
    }
    case "vset": {
      const word = c.words.find((w) => Object.hasOwn(PREDICATES, w)) ?? e.unsupported(c);
      return e.coerce(e.icmp(PREDICATES[word] as IntPredicate, a, b), type);
    }
    default:
      return e.unsupported(c);
  }
}

// ---------------------------------------------------------------- one value

interface Part {
  readonly operand: PtxOperand;
  readonly at: number;
  readonly bits: 8 | 16 | 32;
}

/** An operand with its selector: `.b0` to `.b3`, `.h0`, `.h1`, or the whole word. */
function partOf(e: PtxEmitter, c: PtxCall, operand: PtxOperand | undefined): Part {
  if (operand === undefined) return e.unsupported(c);
  if (operand.kind !== "selected") return { operand, at: 0, bits: 32 };
  const match = /^(?:b([0-3])|h([01]))$/.exec(operand.selector) ?? e.unsupported(c);
  return match[1] === undefined
    ? { operand: operand.operand, at: 16 * Number(match[2]), bits: 16 }
    : { operand: operand.operand, at: 8 * Number(match[1]), bits: 8 };
}

/** The part of the operand in 64 bits, extended by `signed`. */
function readPart(e: PtxEmitter, c: PtxCall, index: number, signed: boolean): IrValue {
  const { operand, at, bits } = partOf(e, c, c.operands[index]);
  const word = e.readOperand(c, operand, I32);
  const part = bits === 32 ? word : e.cast("trunc", at === 0 ? word : e.binary("lshr", word, e.i32(at)), intType(bits));
  return e.cast(signed ? "sext" : "zext", part, I64);
}

/** Saturates, then combines with the third operand (`.add`, `.min`, `.max`) or puts the result into a part of it. */
function finish(e: PtxEmitter, c: PtxCall, value: IrValue, signed: boolean): void {
  const to = partOf(e, c, c.operands[0]);
  const limited = has(c, "sat") ? clamp(e, value, I64, to.bits, signed) : value;
  const word = e.cast("trunc", limited, I32);
  const second = c.words.find((w) => w === "add" || w === "min" || w === "max");
  if (second !== undefined) {
    if (to.bits !== 32) e.unsupported(c);
    const third = e.read(c, 3, I32);
    return e.writeOperand(
      c,
      to.operand,
      second === "add"
        ? e.binary("add", word, third)
        : e.call(`llvm.${signed ? "s" : "u"}${second}.i32`, I32, [word, third]),
    );
  }
  if (to.bits === 32) return e.writeOperand(c, to.operand, word);
  const mask = ((1 << to.bits) - 1) << to.at;
  const rest = e.binary("and", e.read(c, 3, I32), e.i32(~mask));
  e.writeOperand(
    c,
    to.operand,
    e.binary("or", rest, e.binary("and", e.binary("shl", word, e.i32(to.at)), e.i32(mask))),
  );
}

const scalar: PtxHandler = (e, c) => {
  const operation = c.words[0] as string;
  const [result, a, b] = operation === "vset" ? [c.types[0], ...c.types] : c.types;
  finish(
    e,
    c,
    operate(e, c, operation, readPart(e, c, 1, isSigned(a)), readPart(e, c, 2, isSigned(b)), I64),
    isSigned(result),
  );
};

/** vshl, vshr: amounts above 32 count as 32 (.clamp) or modulo 32 (.wrap). */
const shift: PtxHandler = (e, c) => {
  const [result, from] = c.types;
  const value = readPart(e, c, 1, isSigned(from));
  const given = readPart(e, c, 2, false);
  if (!has(c, "wrap") && !has(c, "clamp")) return e.unsupported(c);
  const amount = has(c, "wrap") ? e.binary("and", given, constInt(I64, 31)) : minimum(e, given, constInt(I64, 32), I64);
  finish(e, c, e.binary(c.words[0] === "vshl" ? "shl" : "ashr", value, amount), isSigned(result));
};

/** vmad: a·b + c in 128 bits, of which 64 are enough but for the sign; `.po` adds one, `.shr7` and `.shr15` scale. */
const multiplyAdd: PtxHandler = (e, c) => {
  const negated = [1, 2, 3].map((index) => c.operands[index]?.kind === "negative");
  const call: PtxCall = {
    ...c,
    operands: c.operands.map((operand) => (operand.kind === "negative" ? operand.operand : operand)),
  };
  const [, a, b] = c.types;
  const product = negated[0] !== negated[1];
  const signed = isSigned(a) || isSigned(b) || product || negated[2] === true;
  const wide = intType(128);
  const widen = (value: IrValue, from: boolean): IrValue => e.cast(from ? "sext" : "zext", value, wide);
  let value = e.binary(
    "mul",
    widen(readPart(e, call, 1, isSigned(a)), isSigned(a)),
    widen(readPart(e, call, 2, isSigned(b)), isSigned(b)),
  );
  if (product) value = e.binary("sub", constInt(wide, 0), value);
  let third = widen(e.read(call, 3, I32), signed);
  if (negated[2]) third = e.binary("sub", constInt(wide, 0), third);
  value = e.binary("add", value, third);
  if (has(c, "po")) value = e.binary("add", value, constInt(wide, 1));
  const scale = [7, 15].find((bits) => has(c, `shr${bits}`)) ?? 0;
  if (scale > 0) value = e.binary("ashr", value, constInt(wide, scale));
  e.write(call, 0, e.cast("trunc", has(c, "sat") ? clamp(e, value, wide, 32, signed) : value, I32));
};

// ---------------------------------------------------------------- halfwords and bytes of a word at once

/** The digits of a selector such as `.h10` or `.b3210`, that of the lowest lane first. */
function digits(e: PtxEmitter, c: PtxCall, selector: string, letter: "h" | "b"): number[] {
  if (selector[0] !== letter) return e.unsupported(c);
  return Array.from(selector.slice(1), Number).toReversed();
}

const simd =
  (lanes: 2 | 4): PtxHandler =>
  (e, c) => {
    const operation = (c.words[0] as string).slice(0, -1);
    const letter = lanes === 2 ? "h" : "b";
    const bits = 32 / lanes;
    const [result, ...sources] = operation === "vset" ? [undefined, ...c.types] : c.types;
    const bare = (operand: PtxOperand | undefined): PtxOperand => {
      if (operand === undefined) return e.unsupported(c);
      return operand.kind === "selected" ? operand.operand : operand;
    };
    const words = [1, 2].map((index) => e.readOperand(c, bare(c.operands[index]), I32));
    const numbers = [0, 1, 2, 3].slice(0, lanes);
    /** One lane of a source: its selector numbers the lanes of a, then those of b. */
    const lane = (source: 0 | 1, i: number): IrValue => {
      const operand = c.operands[source + 1];
      const selected =
        operand?.kind === "selected" ? digits(e, c, operand.selector, letter) : numbers.map((n) => n + source * lanes);
      const from = selected[i];
      if (from === undefined || from >= 2 * lanes) return e.unsupported(c);
      const word = words[from < lanes ? 0 : 1] as IrValue;
      const up = e.binary("shl", word, e.i32(32 - bits * ((from % lanes) + 1)));
      return e.binary(isSigned(sources[source]) ? "ashr" : "lshr", up, e.i32(32 - bits));
    };
    const to = c.operands[0];
    const written = to?.kind === "selected" ? digits(e, c, to.selector, letter) : numbers;
    const third = c.operands.length > 3 ? e.read(c, 3, I32) : e.i32(0);
    const values = written.map((i) => {
      const value = operate(e, c, operation, lane(0, i), lane(1, i), I32);
      return [i, has(c, "sat") ? clamp(e, value, I32, bits, isSigned(result)) : value] as const;
    });
    const target = bare(to);
    if (has(c, "add"))
      return e.writeOperand(
        c,
        target,
        values.reduce((sum, [, value]) => e.binary("add", sum, value), third),
      );
    const part = lanes === 2 ? 0xffff : 0xff;
    const mask = written.reduce((all, i) => all | (part << (bits * i)), 0);
    const rest = e.binary("and", third, e.i32(~mask));
    e.writeOperand(
      c,
      target,
      values.reduce(
        (all, [i, value]) => e.binary("or", all, e.binary("shl", e.binary("and", value, e.i32(part)), e.i32(bits * i))),
        rest,
      ),
    );
  };

/** Refuses types other than those of 32 bits. */
const checked =
  (handler: PtxHandler): PtxHandler =>
  (e, c) => {
    if (
      c.types.length < 2 ||
      c.types.some((type) => type.bits !== 32 || type.kind === "float" || type.kind === "bits") ||
      c.operands.length < 3
    )
      e.unsupported(c);
    handler(e, c);
  };
const OPERATIONS = ["vadd", "vsub", "vmin", "vmax", "vabsdiff", "vset"];

export const VIDEO: Readonly<Record<string, PtxHandler>> = Object.fromEntries([
  ...OPERATIONS.map((name) => [name, checked(scalar)]),
  ...[...OPERATIONS, "vavrg"].flatMap((name) => [
    [`${name}2`, checked(simd(2))],
    [`${name}4`, checked(simd(4))],
  ]),
  ["vshl", checked(shift)],
  ["vshr", checked(shift)],
  ["vmad", checked(multiplyAdd)],
]);
