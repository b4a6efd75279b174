/**
 * The low 32 bits of values of 64 bits, for addresses of 32 bits: what a value is computed of is narrowed with it,
 * where the low bits of the result follow from the low bits of the operands (sums, products, shifts to the left,
 * phis), or where all operands are extensions of 32 bits.
 */
import { I32, isInt } from "../model/types.ts";
import {
  constI32,
  constPoison,
  constUndef,
  newBinary,
  newCast,
  newPhi,
  newSelect,
  type NameSource,
} from "../model/build.ts";
import type {
  BinaryInstruction,
  BinaryOperator,
  CastInstruction,
  IrBlock,
  IrConstant,
  IrInstruction,
  IrValue,
  PhiInstruction,
} from "../model/ir.ts";

/** The operators whose low bits follow from low bits. */
const LOW_BITS: ReadonlySet<BinaryOperator> = new Set(["add", "sub", "mul", "and", "or", "xor"]);
/** Of values below 2^32 the same in 32 bits. */
const UNSIGNED: ReadonlySet<BinaryOperator> = new Set(["udiv", "urem", "lshr"]);
/** Deeper, a conversion costs less than all the copies. */
const MAX_DEPTH = 12;
/** Of a value that is wanted in 64 bits, too: a conversion of lanes takes more than this many operations of 32 bits. */
const MAX_COST = 6;

export class NarrowIndices {
  readonly #names: NameSource;
  readonly #known: Map<IrValue, IrValue> = new Map();
  /** New instructions, by the instruction that they follow. */
  readonly #after: Map<IrInstruction, IrInstruction[]> = new Map();
  /** New instructions for parameters. */
  readonly #first: IrInstruction[] = [];

  constructor(names: NameSource) {
    this.#names = names;
  }

  /** The instructions of a block with the new ones among them. */
  place(instructions: readonly IrInstruction[], isEntry: boolean): IrInstruction[] {
    const result: IrInstruction[] = [];
    const late: IrInstruction[] = [];
    let phis = true;
    for (const i of instructions) {
      if (phis && i.op !== "phi") {
        phis = false;
        if (isEntry) result.push(...this.#first);
        result.push(...late);
      }
      result.push(i);
      for (const added of this.#after.get(i) ?? []) (i.op === "phi" && added.op !== "phi" ? late : result).push(added);
    }
    return result;
  }

  /** The low 32 bits of a value; the value itself if it is no wider. */
  low(value: IrValue, depth = 0): IrValue {
    if (!isInt(value.type) || value.type.bits <= 32) return value;
    if (value.kind === "const-int") return constI32(Number(BigInt.asIntN(32, value.value)));
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const narrow = this.#narrow(value, depth);
    this.#known.set(value, narrow);
    return narrow;
  }

  /** The low 32 bits of what a conversion cuts, where a few instructions compute them; null: they would be many. */
  ofConversion({ operand }: CastInstruction): IrValue | null {
    return costOf(operand) <= MAX_COST ? this.low(operand) : null;
  }

  #narrow(value: IrValue, depth: number): IrValue {
    if (value.kind === "instruction" && depth < MAX_DEPTH) {
      if (value.op === "cast") {
        const narrow = this.#ofCast(value);
        if (narrow !== null) return narrow;
      } else if (value.op === "binary") {
        const narrow = this.#ofBinary(value, depth);
        if (narrow !== null) return narrow;
      } else if (value.op === "phi") {
        return this.#ofPhi(value, depth);
      } else if (value.op === "select") {
        const then = this.low(value.then, depth + 1);
        const otherwise = this.low(value.else, depth + 1);
        return this.#behind(value, newSelect(value, this.#names.fresh(value.name), value.condition, then, otherwise));
      }
    }
    if (value.kind === "instruction")
      return this.#behind(value, newCast(value, this.#names.fresh(value.name), "trunc", value, I32));
    if (value.kind === "param") {
      const block = value.function.blocks[0] as IrBlock;
      const cast = newCast({ block, location: null }, this.#names.fresh(value.name), "trunc", value, I32);
      this.#first.push(cast);
      return cast;
    }
    if (value.kind === "const-undef") return value.poison ? constPoison(I32) : constUndef(I32);
    return {
      kind: "const-expr",
      type: I32,
      instruction: { op: "cast", operator: "trunc", operand: value as IrConstant },
    };
  }

  #ofCast(value: CastInstruction): IrValue | null {
    const { operator, operand } = value;
    if (operator === "sext" || operator === "zext") {
      if (!isInt(operand.type) || operand.type.bits > 32) return null;
      if (operand.type.bits === 32) return operand;
      return this.#behind(value, newCast(value, this.#names.fresh(value.name), operator, operand, I32));
    }
    if (operator === "ptrtoint")
      return this.#behind(value, newCast(value, this.#names.fresh(value.name), operator, operand, I32));
    return null;
  }

  /** Known before its operands are narrowed: they may be computed of it. */
  #ofPhi(value: PhiInstruction, depth: number): IrValue {
    const phi = this.#behind(value, newPhi(value, this.#names.fresh(value.name), I32));
    this.#known.set(value, phi);
    phi.incoming = value.incoming.map(({ value: from, block }) => ({ value: this.low(from, depth + 1), block }));
    return phi;
  }

  #ofBinary(value: BinaryInstruction, depth: number): IrValue | null {
    const { operator, lhs, rhs } = value;
    const moved = highPart(value);
    if (moved !== null) {
      const low = this.low(moved.value, depth + 1);
      if (moved.left === 0) return low;
      const by = constI32(moved.left);
      return this.#behind(value, newBinary(value, this.#names.fresh(value.name), "shl", low, by));
    }
    if (operator === "shl" && rhs.kind === "const-int" && rhs.value >= 32n) return constI32(0);
    const shift = operator === "shl" && rhs.kind === "const-int";
    const isExtended = UNSIGNED.has(operator) && isBelow32Bits(lhs) && isBelow32Bits(rhs);
    if (isExtended && operator === "lshr" && !(rhs.kind === "const-int" && rhs.value < 32n)) return null;
    if (!LOW_BITS.has(operator) && !shift && !isExtended) return null;
    const a = this.low(lhs, depth + 1);
    const b = this.low(rhs, depth + 1);
    return this.#behind(value, newBinary(value, this.#names.fresh(value.name), operator, a, b));
  }

  #behind<T extends IrInstruction>(place: IrInstruction, added: T): T {
    const list = this.#after.get(place) ?? [];
    list.push(added);
    this.#after.set(place, list);
    return added;
  }
}

/** Instructions that the low bits of a value take, one more than enough where they do not follow from low bits. */
function costOf(value: IrValue, depth = 0): number {
  if (value.kind !== "instruction") return value.kind === "param" ? 1 : 0;
  if (value.op === "phi") return 2;
  if (value.op === "cast") return (value.operator === "zext" || value.operator === "sext") && isNarrow(value) ? 0 : 1;
  const isLow = value.op === "binary" && (LOW_BITS.has(value.operator) || isShiftLeft(value));
  // Each step down costs one: a chain is too dear before it is too deep.
  if (!isLow || depth > MAX_COST) return MAX_COST + 1;
  const known = costOf(value.lhs, depth + 1);
  return known > MAX_COST ? known : 1 + known + costOf(value.rhs, depth + 1);
}

const isNarrow = ({ operand }: CastInstruction): boolean => isInt(operand.type) && operand.type.bits <= 32;
const isShiftLeft = ({ operator, rhs }: BinaryInstruction): boolean => operator === "shl" && rhs.kind === "const-int";

/** `(x << 32) >> n`, which is how (int)x of 64 bits is written, with n = 32: its low bits are those of `x << left`. */
function highPart({ type, operator, lhs, rhs }: BinaryInstruction): { value: IrValue; left: number } | null {
  if (!isInt(type) || type.bits < 64) return null;
  if ((operator !== "ashr" && operator !== "lshr") || rhs.kind !== "const-int" || rhs.value > 32n) return null;
  if (lhs.kind !== "instruction" || lhs.op !== "binary" || lhs.operator !== "shl") return null;
  if (lhs.rhs.kind !== "const-int" || lhs.rhs.value !== 32n || rhs.value === 0n) return null;
  return { value: lhs.lhs, left: 32 - Number(rhs.value) };
}

function isBelow32Bits(value: IrValue): boolean {
  if (value.kind === "const-int") return value.value < 0x1_0000_0000n;
  return (
    value.kind === "instruction" &&
    value.op === "cast" &&
    value.operator === "zext" &&
    isInt(value.operand.type) &&
    value.operand.type.bits <= 32
  );
}
