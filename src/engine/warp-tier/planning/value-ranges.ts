/**
 * What values a kernel's 32-bit integers and pointers can have, known when it is compiled.
 *
 * Lattice: intervals with a step (analysis/values/intervals.ts), for pointers relative to the variable that they point
 * into. Needs: the flow graph and the lane shapes. Holds afterwards, in one of two senses that the caller chooses:
 *
 *   "active"  for every lane that executes the instruction: one thread's view of the program
 *   "all"     for every lane of the warp whenever the instruction's block runs, also for lanes that do not execute it:
 *             masked-off lanes hold what they had in a phi, rubbish where they loaded nothing, and count past a bound
 *             that they have met; lanes past the end of the block have coordinates of their own
 *
 * Optimistic fixpoint: phis grow from nothing, and give up bounds that move too often. The flags nsw, nuw and inbounds
 * promise nothing here: what is proven stays true in a program that breaks them. Source: Cousot and Cousot, "Static
 * determination of dynamic properties of programs" (1976), for intervals and widening.
 *
 * Used by: in-bounds-accesses.ts, loop-checks.ts, pass-fold-comparisons.ts.
 */
import type { Dim3 } from "../../../base/dim3.ts";
import { gepOffset } from "../../../ir/model/gep.ts";
import type { CallInstruction, IrInstruction, IrValue, PhiInstruction } from "../../../ir/model/ir.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import {
  exitTestsOf,
  inductionOf,
  isInvariant,
  type ExitTest,
  type Induction,
} from "../../../analysis/loops/induction.ts";
import { boundedInduction } from "./bounded-induction.ts";
import {
  add,
  and,
  anything,
  asSigned,
  divide,
  exactly,
  extremum,
  interval,
  multiply,
  or,
  remainder,
  sameInterval,
  shiftLeft,
  shiftRight,
  subtract,
  union,
  xor,
  type Interval,
} from "../../../analysis/values/intervals.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";

/** Memory that is legal and in one piece. Compared by identity. */
export interface Region {
  readonly bytes: number;
  readonly align: number;
  /** The block's shared memory. */
  readonly isSharedWindow?: boolean;
}

/** A number, or an address: the region's start plus a number. */
export interface ValueRange {
  readonly region: Region | null;
  readonly interval: Interval;
}

export interface RangeSources {
  readonly block: Dim3;
  /** The range of a constant or a parameter; null where nothing is known. */
  leaf(value: IrValue): ValueRange | null;
  /** The memory that an alloca makes in every lane. */
  local(alloca: IrInstruction & { op: "alloca" }): Region | null;
}

/** How often a phi may grow before its bounds are widened, and before nothing is claimed. */
const GROWTHS_UNTIL_WIDENED = 3;
const GROWTHS_UNTIL_UNKNOWN = 8;

const UNKNOWN: ValueRange = { region: null, interval: anything() };
const number = (i: Interval): ValueRange => ({ region: null, interval: i });

export type RangeLanes = "active" | "all";

const EXTREMES: Readonly<Record<string, readonly ["min" | "max", boolean]>> = {
  smin: ["min", true],
  smax: ["max", true],
  umin: ["min", false],
  umax: ["max", false],
};

export class ValueRanges {
  readonly #analysis: WarpAnalysis;
  readonly #sources: RangeSources;
  readonly #lanes: RangeLanes;
  readonly #ranges = new Map<IrInstruction, ValueRange>();
  readonly #growths = new Map<IrInstruction, number>();
  readonly #inductions = new Map<
    PhiInstruction,
    { readonly induction: Induction; readonly tests: readonly ExitTest[] } | null
  >();

  constructor(analysis: WarpAnalysis, sources: RangeSources, lanes: RangeLanes) {
    this.#analysis = analysis;
    this.#sources = sources;
    this.#lanes = lanes;
    for (let changed = true; changed;) {
      changed = false;
      for (const block of analysis.flow.blocks) {
        for (const i of block.instructions) {
          if (!isWord(i)) continue;
          const before = this.#ranges.get(i);
          const now = this.#evaluate(i);
          if (now === undefined) continue; // not reached yet
          if (before && before.region === now.region && sameInterval(before.interval, now.interval)) continue;
          this.#ranges.set(i, now);
          changed = true;
        }
      }
    }
  }

  of(value: IrValue): ValueRange {
    return this.#known(value) ?? UNKNOWN;
  }

  /** undefined: nothing has reached it yet. */
  #known(value: IrValue): ValueRange | undefined {
    if (value.kind === "instruction") return isWord(value) ? this.#ranges.get(value) : UNKNOWN;
    if (value.kind === "const-int") return number(exactly(Number(BigInt.asIntN(32, value.value))));
    return this.#sources.leaf(value) ?? UNKNOWN;
  }

  /** Lanes that do not execute the instruction have, in the sense that was asked for, the value that it says. */
  #isExact(value: IrValue): boolean {
    return this.#lanes === "active" || this.#analysis.shapeOf(value).kind === "uniform";
  }

  #evaluate(i: IrInstruction): ValueRange | undefined {
    switch (i.op) {
      case "phi":
        return this.#ofPhi(i);
      case "alloca": {
        const region = this.#sources.local(i);
        return region === null ? UNKNOWN : { region, interval: exactly(0) };
      }
      case "freeze":
        return i.operand.kind === "const-undef" ? UNKNOWN : this.#known(i.operand);
      case "select": {
        const a = this.#known(i.then);
        const b = this.#known(i.else);
        return a === undefined || b === undefined ? undefined : join(a, b);
      }
      case "cast":
        return this.#ofCast(i);
      case "gep": {
        const base = this.#known(i.base);
        if (base === undefined) return undefined;
        const { constant, terms } = gepOffset(i.sourceType, i.indices);
        let offset = exactly(constant);
        for (const { index, scale } of terms) {
          const range = this.#known(index);
          if (range === undefined) return undefined;
          if (!isWord(index) || range.region !== null) return UNKNOWN;
          offset = add(offset, multiply(range.interval, exactly(scale)));
        }
        return { region: base.region, interval: add(base.interval, offset) };
      }
      case "binary": {
        const a = this.#known(i.lhs);
        const b = this.#known(i.rhs);
        if (a === undefined || b === undefined) return undefined;
        return isLong(i) ? congruent(i.operator, a, b) : binary(i.operator, a, b);
      }
      case "call":
        return this.#ofCall(i);
      default:
        return UNKNOWN;
    }
  }

  /** The low 32 bits go on through casts between words. */
  #ofCast(i: IrInstruction & { op: "cast" }): ValueRange | undefined {
    const { operand } = i;
    switch (i.operator) {
      case "addrspacecast":
      case "ptrtoint":
      case "inttoptr":
      case "bitcast":
      case "trunc":
      case "zext":
      case "sext":
        if (isWord(operand)) return this.#known(operand);
        if (operand.type.kind !== "int") return UNKNOWN;
        // A mask is 0 or 1 in every lane; narrower words may hold rubbish where nothing was computed.
        if (i.operator === "zext" && (operand.type.bits === 1 || this.#isExact(operand)))
          return number(interval(0, 2 ** operand.type.bits - 1));
        if (i.operator === "sext" && this.#isExact(operand))
          return number(interval(-(2 ** (operand.type.bits - 1)), 2 ** (operand.type.bits - 1) - 1));
        return UNKNOWN;
      default:
        return UNKNOWN;
    }
  }

  #ofPhi(phi: PhiInstruction): ValueRange | undefined {
    const before = this.#ranges.get(phi);
    const bounded = this.#ofInduction(phi);
    if (bounded === undefined) return before;
    if (bounded !== null) return before === undefined ? bounded : this.#grown(phi, before, join(before, bounded));
    // Lanes that have not come here yet hold zero.
    let result =
      this.#isExact(phi) || this.#analysis.shapeOf(phi).kind === "offset"
        ? before
        : join(before ?? number(exactly(0)), number(exactly(0)));
    for (const { value } of phi.incoming) {
      if (value.kind === "const-undef") return UNKNOWN;
      const range = this.#known(value);
      if (range !== undefined) result = result === undefined ? range : join(result, range);
    }
    return before === undefined || result === undefined ? result : this.#grown(phi, before, result);
  }

  /** Bounds that keep moving are given up, so that the iteration ends. */
  #grown(phi: PhiInstruction, before: ValueRange, now: ValueRange): ValueRange {
    if (before.region === now.region && sameInterval(before.interval, now.interval)) return before;
    const count = (this.#growths.get(phi) ?? 0) + 1;
    this.#growths.set(phi, count);
    const { interval: a } = before;
    const { interval: b } = now;
    if (count > GROWTHS_UNTIL_UNKNOWN) return UNKNOWN;
    if (count <= GROWTHS_UNTIL_WIDENED) return now;
    const unbounded = anything(b.step, b.lo);
    if (b.hi > a.hi) return { region: now.region, interval: unbounded };
    // What shrinks towards 0, as a halved distance does, mostly stops there.
    return { region: now.region, interval: b.lo >= 0 ? interval(b.lo % b.step, b.hi, b.step) : unbounded };
  }

  // ---------------------------------------------------------------- induction variables

  /** null: no induction variable with a known bound; undefined: not reached yet. */
  #ofInduction(phi: PhiInstruction): ValueRange | null | undefined {
    // A lane that has met its bound goes on counting while others stay: in the sense of all lanes only uniform ones are
    // bounded.
    if (!this.#isExact(phi)) return null;
    let entry = this.#inductions.get(phi);
    if (entry === undefined) {
      const induction = inductionOf(this.#analysis.flow, phi);
      this.#inductions.set(
        phi,
        (entry = induction && { induction, tests: exitTestsOf(this.#analysis.flow, induction) }),
      );
    }
    if (entry === null || entry.tests.length === 0) return null;
    const { induction, tests } = entry;
    const init = this.#known(induction.init);
    const by = this.#known(induction.step);
    if (init === undefined || by === undefined) return undefined;
    if (init.region !== null || by.region !== null || induction.init.kind === "const-undef") return null;
    const step = asSigned(induction.sign === 1 ? by.interval : subtract(exactly(0), by.interval));
    let best: Interval | null = null;
    for (const test of tests) {
      const bound = this.#known(test.bound);
      if (bound === undefined) return undefined;
      if (bound.region !== null) continue;
      const found = boundedInduction(
        init.interval,
        step,
        test,
        bound.interval,
        isInvariant(this.#analysis.flow, induction.loop, test.bound),
      );
      if (found !== null && (best === null || found.hi - found.lo < best.hi - best.lo)) best = found;
    }
    return best === null ? null : number(best);
  }

  // ---------------------------------------------------------------- calls

  #ofCall(call: CallInstruction): ValueRange | undefined {
    const { register, operation } = calledIntrinsic(call) ?? {};
    if (register) {
      const axis = register.axis ?? "x";
      const { warps } = this.#analysis.geometry;
      switch (register.register) {
        case "tid":
          return number(interval(0, this.#lastCoordinate(axis)));
        case "ntid":
          return number(exactly(this.#sources.block[axis]));
        case "ctaid":
        case "nctaid":
          return number(interval(0, 2 ** 31 - 1));
        case "laneid":
          return number(interval(0, LANES - 1));
        case "warpid":
          return number(interval(0, warps - 1));
        case "nwarpid":
          return number(exactly(warps));
        case "warpsize":
          return number(exactly(LANES));
        default:
          return UNKNOWN;
      }
    }
    const extreme = operation === undefined ? undefined : EXTREMES[operation];
    if (extreme !== undefined && call.type.kind === "int" && call.type.bits === 32) {
      const a = this.#known(call.args[0]!);
      const b = this.#known(call.args[1]!);
      if (a === undefined || b === undefined) return undefined;
      return a.region !== null || b.region !== null ? UNKNOWN : number(extremum(a.interval, b.interval, ...extreme));
    }
    return UNKNOWN;
  }

  /** Lanes past the end of the block have coordinates, too: the outermost one goes on (lane-shape.ts, laneGeometry). */
  #lastCoordinate(axis: "x" | "y" | "z"): number {
    const { block } = this.#sources;
    const { threads, warps } = this.#analysis.geometry;
    const divisor = { x: 1, y: block.x, z: block.x * block.y }[axis];
    if (this.#lanes === "active" || divisor * block[axis] < threads) return block[axis] - 1;
    return Math.max(block[axis], Math.ceil((warps * LANES) / divisor)) - 1;
  }
}

function isWord(v: IrValue): boolean {
  return v.type.kind === "ptr" || (v.type.kind === "int" && (v.type.bits === 32 || v.type.bits === 64));
}

function isLong(v: IrValue): boolean {
  return v.type.kind === "int" && v.type.bits === 64;
}

function join(a: ValueRange, b: ValueRange): ValueRange {
  return a.region === b.region ? { region: a.region, interval: union(a.interval, b.interval) } : UNKNOWN;
}

/** Operators whose low 32 bits depend on the low 32 bits of their operands only. */
function congruent(operator: string, a: ValueRange, b: ValueRange): ValueRange {
  return operator === "add" || operator === "sub" || operator === "mul" ? binary(operator, a, b) : UNKNOWN;
}

function binary(operator: string, a: ValueRange, b: ValueRange): ValueRange {
  if (operator === "add" && (a.region === null || b.region === null))
    return { region: a.region ?? b.region, interval: add(a.interval, b.interval) };
  if (operator === "sub" && (b.region === null || b.region === a.region)) {
    return { region: b.region === null ? a.region : null, interval: subtract(a.interval, b.interval) };
  }
  if (a.region !== null || b.region !== null) return UNKNOWN;
  const x = a.interval;
  const y = b.interval;
  switch (operator) {
    case "mul":
      return number(multiply(x, y));
    case "shl":
      return number(shiftLeft(x, y));
    case "lshr":
      return number(shiftRight(x, y, false));
    case "ashr":
      return number(shiftRight(x, y, true));
    case "udiv":
    case "sdiv":
      return number(divide(x, y, operator === "sdiv"));
    case "urem":
    case "srem":
      return number(remainder(x, y, operator === "srem"));
    case "and":
      return number(and(x, y));
    case "or":
      return number(or(x, y));
    case "xor":
      return number(xor(x, y));
    default:
      return UNKNOWN;
  }
}
