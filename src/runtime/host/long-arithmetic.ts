/**
 * Arithmetic of `long`, `size_t` and their kin whose result a 64-bit machine would have and 32 bits do not hold. Code
 * that is compiled for it (flags.ts, `arithmeticFlags`) asks here about each result that does not fit its type
 * (hostlib/long_arithmetic.cpp).
 *
 * Types of the same width on both machines are not looked at: they wrap on both. Neither are results that only look too
 * large because they stand for negative numbers (`i - 1 + n` with i = 0).
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { HostMemory } from "./host-memory.ts";

/** What hostlib/long_arithmetic.cpp passes as `operation`. */
export const Operation = { add: 0, subtract: 1, multiply: 2, negate: 3, shift: 4, convert: 5, fromFloat: 6 } as const;

/** A result that lost bits. */
export interface LostBits {
  /** File, line and column in the source. */
  readonly location: SourceLocation;
  /** `50000 * 50000 * 4 …`, as a sentence without its end. */
  readonly text: string;
  /** On a 64-bit machine; null where the result is undefined here. */
  readonly exact: bigint;
  /** What is left of it, as an unsigned number of 32 bits. */
  readonly left: number;
}

export interface Judgement {
  readonly lost: LostBits | null;
  /** This place need not ask again. */
  readonly isSettled: boolean;
}

interface Type {
  /** As the user wrote it. */
  readonly name: string;
  readonly isLong: boolean;
  readonly isSigned: boolean;
  readonly isFloat: boolean;
  readonly bits: number;
}

const WORD = 1n << 32n;
/** So many places and values are remembered. */
const REMEMBERED = 100_000;
/** A place that only makes negative numbers asks so often. */
const ASKED = 10_000;
/** Constants such as (size_t)-1 are recognised by their value. */
const SMALL_NEGATIVE = 0xffff_ff00;

export class LongArithmetic {
  readonly #memory: HostMemory;
  /** Unsigned results that stand for negative numbers. */
  readonly #negatives = new Set<number>();
  readonly #asked = new Map<number, number>();

  constructor(memory: HostMemory) {
    this.#memory = memory;
  }

  /**
   * @param data Clang's description of the place and the types.
   * @param left the first operand, or the value that is converted: its address where it has more than 32 bits.
   */
  judge(operation: number, data: number, left: number, right: number): Judgement {
    const type = this.#type(data + 12);
    switch (operation) {
      case Operation.convert:
      case Operation.fromFloat:
        return this.#conversion(operation, data, left);
      case Operation.shift:
        return type.isLong ? this.#shift(data, type, left, right) : SETTLED;
      default:
        return type.isLong ? this.#arithmetic(operation, data, type, left, right) : SETTLED;
    }
  }

  #arithmetic(operation: number, data: number, type: Type, left: number, right: number): Judgement {
    if (operation === Operation.negate) {
      const operand = BigInt(left | 0);
      return type.isSigned ? this.#lost(data, type, `-(${operand})`, -operand) : this.#negative(data, -left >>> 0);
    }
    const isNegative = (value: number): boolean =>
      !type.isSigned && (value >>> 0 >= SMALL_NEGATIVE || this.#negatives.has(value >>> 0));
    const value = (word: number): bigint => (type.isSigned || isNegative(word) ? BigInt(word | 0) : BigInt(word >>> 0));
    const [a, b] = [value(left), value(right)];
    const [exact, sign] = compute(operation, a, b);
    if (!type.isSigned && (operation === Operation.subtract || exact < 0n))
      return this.#negative(data, Number(BigInt.asUintN(32, exact)));
    if (!type.isSigned && exact < WORD) return this.#countAsked(data);
    return this.#lost(data, type, `${a} ${sign} ${b < 0n ? `(${b})` : b}`, exact);
  }

  #shift(data: number, type: Type, left: number, right: number): Judgement {
    const count = right | 0;
    // A shift by 64 bits or more is undefined everywhere.
    if (count < 0 || count > 63) return SETTLED;
    if (count < 32 && this.#isNegative(type, left)) return this.#negative(data, (left << count) >>> 0);
    const operand = type.isSigned ? BigInt(left | 0) : BigInt(left >>> 0);
    const exact = BigInt.asIntN(64, operand << BigInt(count));
    if (count >= 32)
      return lostAt(this.#location(data), 0, exact, `${type.name} has 32 bits here: a shift by ${count} is undefined`);
    return this.#lost(data, type, `${operand} << ${count}`, exact);
  }

  #conversion(operation: number, data: number, handle: number): Judgement {
    const [from, to] = [this.#type(data + 12), this.#type(data + 16)];
    if (!to.isLong) return SETTLED;
    if (operation === Operation.fromFloat) {
      const value = from.bits === 64 ? this.#memory.f64(handle) : asFloat(handle);
      // Beyond 64 bits the result is undefined everywhere.
      if (!(Math.abs(value) < 2 ** 63)) return SETTLED;
      // A negative number becomes anything.
      if (value < 0 && !to.isSigned) return this.#negative(data, Number(BigInt.asUintN(32, BigInt(Math.trunc(value)))));
      return this.#lost(data, to, `the ${from.name} ${value}`, BigInt(Math.trunc(value)), "becomes");
    }
    const word = handle >>> 0;
    if (from.bits === 64) {
      const value = from.isSigned ? BigInt.asIntN(64, this.#memory.u64(handle)) : this.#memory.u64(handle);
      const left = Number(BigInt.asUintN(32, value));
      if (!to.isSigned && value < 0n && value >= -WORD / 2n) return this.#negative(data, left);
      if (!to.isSigned && value < WORD && value >= 0n) return this.#countAsked(data);
      return this.#lost(data, to, `the ${from.name} ${value}`, value, "becomes");
    }
    // Of 32 bits: only the sign may be another.
    if (from.isSigned) return this.#negative(data, word);
    if (!to.isSigned || (from.isLong && this.#isNegative(from, word))) return this.#countAsked(data);
    return this.#lost(data, to, `the ${from.name} ${word}`, BigInt(word), "becomes");
  }

  /** Whether an unsigned word stands for a negative number. */
  #isNegative({ isSigned }: Type, word: number): boolean {
    return !isSigned && (word >>> 0 >= SMALL_NEGATIVE || this.#negatives.has(word >>> 0));
  }

  #lost(data: number, type: Type, expression: string, exact: bigint, verb = "is"): Judgement {
    const left = Number(BigInt.asUintN(32, exact));
    const shown = type.isSigned ? left | 0 : left;
    return lostAt(
      this.#location(data),
      left,
      exact,
      verb === "is"
        ? `${expression} is ${exact}, but ${type.name} has 32 bits here: ${shown} is left`
        : `${expression} does not fit into ${type.name}, which has 32 bits here: it becomes ${shown}`,
    );
  }

  #negative(data: number, value: number): Judgement {
    if (this.#negatives.size < REMEMBERED) this.#negatives.add(value);
    return this.#countAsked(data);
  }

  #countAsked(data: number): Judgement {
    const count = (this.#asked.get(data) ?? 0) + 1;
    this.#asked.set(data, count);
    return count < ASKED ? AGAIN : SETTLED;
  }

  /** { file, line, column } */
  #location(data: number): SourceLocation {
    const { cString, u32 } = bound(this.#memory);
    const path = cString(this.#memory.pointer(data));
    // As line tables have it.
    return {
      file: path.startsWith("/") ? path : `./${path.replace(/^\.\//, "")}`,
      line: u32(data + 4),
      column: u32(data + 8) & 0x7fff_ffff,
    };
  }

  /** { kind, information, name } of Clang's TypeDescriptor. */
  #type(at: number): Type {
    const { cString, u32 } = bound(this.#memory);
    const address = this.#memory.pointer(at);
    const word = u32(address);
    const [kind, information] = [word & 0xffff, word >>> 16];
    const [name, real] = [...cString(address + 4).matchAll(/'([^']*)'/g)].map(([, text]) => text as string);
    const canonical = (real ?? name ?? "").replaceAll(/\b(?:const|volatile)\b/g, "").trim();
    return {
      name: (name ?? "").replace(/^const /, ""),
      isLong: /^(?:unsigned )?long$/.test(canonical),
      isSigned: (information & 1) === 1,
      isFloat: kind === 1,
      bits: kind === 1 ? information : 1 << (information >> 1),
    };
  }
}

function compute(operation: number, a: bigint, b: bigint): [exact: bigint, sign: string] {
  if (operation === Operation.add) return [a + b, "+"];
  return operation === Operation.subtract ? [a - b, "-"] : [a * b, "*"];
}

const SETTLED: Judgement = { lost: null, isSettled: true };
const AGAIN: Judgement = { lost: null, isSettled: false };

function lostAt(location: SourceLocation, left: number, exact: bigint, text: string): Judgement {
  return { lost: { location, left, exact, text }, isSettled: true };
}

function bound(memory: HostMemory): { cString: (at: number) => string; u32: (at: number) => number } {
  return { cString: (at) => memory.cString(at), u32: (at) => memory.u32(at) };
}

function asFloat(bits: number): number {
  return new Float32Array(Uint32Array.of(bits).buffer)[0] as number;
}
