/** The tests of unrolled loops (pass-unroll-counted.ts): whether several iterations are left, and what then. */
import { type NameSource, constBool, constInt, newBinary, newIcmp, newPhi, newSelect } from "../../ir/model/build.ts";
import { foldBinary } from "../../ir/model/fold.ts";
import type {
  BinaryOperator,
  ConstInt,
  IntPredicate,
  IntType,
  IrBlock,
  IrInstruction,
  IrValue,
  PhiInstruction,
} from "../../ir/model/ir.ts";

export interface Counted {
  readonly counter: PhiInstruction;
  readonly start: IrValue;
  readonly bound: IrValue;
  /** A number, or a value that the loop does not change. */
  readonly step: number | IrValue;
  /**
   * Whether the counter is compared after its step; else one iteration more follows the last that is below the bound.
   */
  readonly isNext: boolean;
  /** The loop goes on while what is compared is this to the bound. */
  readonly goesOn: "slt" | "ult" | "sle" | "ule" | "ne";
  readonly preheader: IrBlock;
  readonly latch: IrBlock;
  readonly exit: IrBlock;
}

export interface Unrolled extends Counted {
  /** How many iterations run at once: 2 or 4. */
  readonly together: number;
}

export interface Tests {
  /** In front of the loop: whether there are as many iterations as run at once. */
  readonly enough: IrValue;
  /** After these, which leave the counter at `next`: whether there are as many more. */
  more(header: IrBlock, latch: IrBlock, next: IrValue): IrValue;
  /** Whether an iteration is left then. */
  rest(block: IrBlock, next: IrValue): IrValue;
}

export function countingDown(counted: Unrolled, names: NameSource): Tests {
  const { preheader, together } = counted;
  const turns = countTurns(counted, preheader, names);
  const whole = binary(preheader, "and", turns, counting(counted, -together), names);
  return {
    enough: compare(preheader, "ne", whole, counting(counted, 0), names),
    more: (header, latch) => {
      const left = newPhi({ block: header, location: null }, names.fresh("left"), counted.counter.type);
      header.instructions.unshift(left);
      const remaining = binary(latch, "add", left, counting(counted, -together), names);
      left.incoming = [
        { value: whole, block: preheader },
        { value: remaining, block: latch },
      ];
      return compare(latch, "ne", remaining, counting(counted, 0), names);
    },
    rest: (block) =>
      compare(
        block,
        "ne",
        binary(block, "and", turns, counting(counted, together - 1), names),
        counting(counted, 0),
        names,
      ),
  };
}

/**
 * A step beyond this, a bound below its negative: what is computed here might wrap around, and the loop as it was does
 * what it does.
 */
const MAX_STEP = 1 << 28;

export function upToLimit(counted: Unrolled, step: IrValue, names: NameSource): Tests {
  const { preheader: block, start, bound, goesOn, together } = counted;
  const reach = binary(block, "mul", step, counting(counted, together - 1), names);
  const limit = binary(block, "sub", bound, reach, names);
  const isStep =
    step.kind === "const-int"
      ? constBool(true)
      : compare(
          block,
          "ult",
          binary(block, "sub", step, counting(counted, 1), names),
          counting(counted, MAX_STEP),
          names,
        );
  const isAbove =
    goesOn === "slt" || goesOn === "sle"
      ? compare(block, "sge", bound, counting(counted, -MAX_STEP), names)
      : compare(block, "uge", bound, reach, names);
  const isBelow = compare(block, goesOn, start, limit, names);
  return {
    enough: binary(block, "and", binary(block, "and", isStep, isAbove, names), isBelow, names),
    more: (_header, latch, next) => compare(latch, goesOn, next, limit, names),
    rest: (after, next) => compare(after, goesOn, next, bound, names),
  };
}

/** A constant as wide as the counter. */
export function counting({ counter }: Counted, value: number): ConstInt {
  return constInt(counter.type as IntType, value);
}

/** The highest number that the counter can be, less `margin`. */
function highestOf({ counter }: Counted, margin: number): ConstInt {
  const { bits } = counter.type as IntType;
  return constInt(counter.type as IntType, (1n << BigInt(bits - 1)) - 1n - BigInt(margin));
}

function binary(block: IrBlock, operator: BinaryOperator, lhs: IrValue, rhs: IrValue, names: NameSource): IrValue {
  const folded = foldBinary(operator, lhs, rhs);
  if (folded !== null) return folded;
  const made = newBinary({ block, location: null }, names.fresh("turns"), operator, lhs, rhs);
  block.instructions.push(made);
  return made;
}

function compare(block: IrBlock, predicate: IntPredicate, lhs: IrValue, rhs: IrValue, names: NameSource): IrValue {
  const made = newIcmp({ block, location: null }, names.fresh("more"), predicate, lhs, rhs);
  block.instructions.push(made);
  return made;
}

/**
 * How often the body runs, modulo what the counter holds; 1 where the first iteration is the last, which makes an
 * unrolled loop of no iterations. A bound so high that the counter would wrap around counts as such, too: the loop as
 * it was does what it does.
 */
function countTurns(counted: Counted, block: IrBlock, names: NameSource): IrValue {
  const { start, bound, step, isNext, goesOn } = counted;
  const place = { block, location: null };
  const push = <T extends IrInstruction>(i: T): T => {
    block.instructions.push(i);
    return i;
  };
  const distance = binary(block, "sub", bound, start, names);
  if (goesOn === "ne") return isNext ? distance : binary(block, "add", distance, counting(counted, 1), names);
  const by = step as number;
  const whole = binary(
    block,
    "add",
    binary(block, "udiv", binary(block, "sub", distance, counting(counted, 1), names), counting(counted, by), names),
    counting(counted, isNext ? 1 : 2),
    names,
  );
  const isRegular = compare(block, goesOn, start, bound, names);
  const highest = goesOn === "slt" ? highestOf(counted, 2 * by) : counting(counted, -1 - 2 * by);
  const fits = compare(block, goesOn === "slt" ? "sle" : "ule", bound, highest, names);
  const both = push(newSelect(place, names.fresh("turns"), isRegular, fits, constBool(false)));
  return push(newSelect(place, names.fresh("turns"), both, whole, counting(counted, 1)));
}
