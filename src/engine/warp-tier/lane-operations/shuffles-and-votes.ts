/**
 * Shuffles, votes, matches and reductions across the lanes of a warp (PTX ISA, 9.7.9 shfl.sync and 9.7.13).
 *
 * They run only where no lane waits elsewhere (analysis/block-order.ts), so the members are the active lanes that the
 * membermask names. A shuffle by a constant amount becomes vector shuffles when all 32 lanes take part. Everything else
 * goes through scratch memory.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type { MatchFacts, VoteFacts } from "../../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import type { CallInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { CrossLaneHelpers } from "./shuffle-and-vote-helpers.ts";
import { elementOf, isWide } from "./element.ts";
import type { ConditionMasks } from "../control-flow/condition-masks.ts";
import { loadLane, reloadFromSlot, spillToSlot } from "./lane-scratch.ts";
import { LANES, SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { ValueLocation, Values } from "./value-location.ts";
import { shuffleSource, type ShuffleMode } from "../../../machine/shuffle.ts";

export interface CrossLaneContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly scratch: number;
  readonly helpers: CrossLaneHelpers;
  readonly conditions: ConditionMasks;
  pushMask(): void;
  readonly isFull: boolean;
  /** Where result component c of a call goes. */
  resultLocation(i: CallInstruction, component: number): ValueLocation | null;
  /** Pops a bit mask of lanes into a vector location of masks, or pops i32 into a scalar location. */
  setMaskResult(location: ValueLocation): void;
}

/** True if the call was one of these and has been emitted. */
export function emitCrossLane(context: CrossLaneContext, i: CallInstruction, name: string): boolean {
  const facts = intrinsicOf(name);
  if (facts === null || !facts.isNvvm) return false;
  const { words, vote, shuffle, reduction, match } = facts;
  const unsupportedHere = (): Error => unsupported(`${name} in the warp tier`);
  if (words[0] === "bar" && words[1] === "warp") return true;
  if (words[0] === "activemask") {
    context.pushMask();
    setScalarResult(context, i);
    return true;
  }
  if (vote !== null) {
    if (words[2] !== "sync") throw unsupportedHere();
    if (context.values.isUniform(i.args[0]!)) emitVote(context, i, vote.mode);
    else emitGroupVote(context, i, vote.mode);
    return true;
  }
  if (shuffle !== null) {
    if (!shuffle.hasMask) throw unsupportedHere();
    emitShuffle(context, i, shuffle.mode, shuffle.withPredicate);
    return true;
  }
  if (reduction !== null) {
    if (!INTEGER_REDUCTIONS.has(reduction.operator)) throw unsupportedHere();
    emitReduction(context, i, reduction.operator);
    return true;
  }
  if (match !== null) {
    emitMatch(context, i, match);
    return true;
  }
  return false;
}

const INTEGER_REDUCTIONS: ReadonlySet<string> = new Set(["add", "min", "max", "umin", "umax", "and", "or", "xor"]);
const ALL_LANES = 0xffffffffn;

/** Pushes the active lanes that a uniform membermask names. */
function pushMembers(context: CrossLaneContext, membermask: IrValue): void {
  const { code, values } = context;
  context.pushMask();
  if (membermask.kind === "const-int" && membermask.value === ALL_LANES) return;
  values.pushScalar(membermask);
  code.i32And();
}

function setScalarResult(context: CrossLaneContext, i: CallInstruction): void {
  const location = context.resultLocation(i, 0);
  if (location === null) {
    context.code.drop();
    return;
  }
  if (location.kind !== "scalar") bug("a cross-lane operation with a uniform result");
  context.code.localSet(location.local);
}

/** A vote with a uniform membermask: one comparison of bits. */
function emitVote(context: CrossLaneContext, i: CallInstruction, mode: VoteFacts["mode"]): void {
  const { code } = context;
  const members = code.local("i32");
  const bits = code.local("i32");
  pushMembers(context, i.args[0]!);
  code.localSet(members);
  context.conditions.push(i.args[1]!);
  code.localGet(members).i32And().localSet(bits);
  code.localGet(bits);
  if (mode === "all") code.localGet(members).i32Eq();
  else if (mode === "any") code.i32Const(0).i32Ne();
  else if (mode === "uni") code.i32Eqz().localGet(bits).localGet(members).i32Eq().i32Or();
  setScalarResult(context, i);
  code.free(members, bits);
}

/** redux.sync: through scratch, for all members or for each lane's own group. */
function emitReduction(context: CrossLaneContext, i: CallInstruction, operator: string): void {
  const { code, values, scratch, helpers } = context;
  const [value, membermask] = i.args as [IrValue, IrValue];
  spillToSlot(code, values, scratch, value, 0);
  if (values.isUniform(membermask)) {
    pushMembers(context, membermask);
    code.call(helpers.reduce(operator));
    setScalarResult(context, i);
    return;
  }
  spillToSlot(code, values, scratch, membermask, 4);
  context.pushMask();
  code.call(helpers.reduceGroups(operator)).drop();
  const location = context.resultLocation(i, 0);
  if (location?.kind === "vector") reloadFromSlot(code, location.locals, scratch, 3);
}

/** match.sync: the lanes of the membermask with the same value. */
function emitMatch(context: CrossLaneContext, i: CallInstruction, { mode, bits }: MatchFacts): void {
  const { code, values, scratch, helpers } = context;
  spillToSlot(code, values, scratch, i.args[1]!, 0);
  spillToSlot(code, values, scratch, i.args[0]!, 4);
  context.pushMask();
  code.call(helpers.match(bits === 64 ? "i64" : "i32"));
  const predicate = mode === "all" ? context.resultLocation(i, 1) : null;
  if (predicate !== null) context.setMaskResult(predicate);
  else code.drop();
  const location = context.resultLocation(i, 0);
  if (location?.kind === "vector") reloadFromSlot(code, location.locals, scratch, mode === "any" ? 3 : 5);
}

/** A vote whose membermask differs between groups of lanes: every lane gets its own group's. */
function emitGroupVote(context: CrossLaneContext, i: CallInstruction, kind: VoteFacts["mode"]): void {
  const { code, values } = context;
  const location = context.resultLocation(i, 0);
  if (location === null) return;
  if (location.kind !== "vector") bug("a group vote has a varying result");
  const active = code.local("i32");
  const bits = code.local("i32");
  const group = code.local("v128");
  context.pushMask();
  code.localSet(active);
  context.conditions.push(i.args[1]!);
  code.localGet(active).i32And().localSet(bits);
  location.locals.forEach((local, s) => {
    const zero = (): void => {
      code.i32x4Const(0, 0, 0, 0);
    };
    const inGroup = (): void => {
      code.localGet(bits).i32x4Splat().localGet(group).v128And();
    };
    values.pushVector(i.args[0]!, s);
    code.localGet(active).i32x4Splat().v128And().localSet(group);
    inGroup();
    if (kind === "any") {
      zero();
      code.i32x4Ne();
    } else if (kind === "all") code.localGet(group).i32x4Eq();
    else if (kind === "uni") {
      zero();
      code.i32x4Eq();
      inGroup();
      code.localGet(group).i32x4Eq().v128Or();
    }
    code.localSet(local);
  });
  code.free(active, bits, group);
}

function emitShuffle(context: CrossLaneContext, i: CallInstruction, mode: ShuffleMode, wantsPredicate: boolean): void {
  const { code, values } = context;
  const [mask, value, amount, clamp] = i.args as [IrValue, IrValue, IrValue, IrValue];
  const location = context.resultLocation(i, 0);
  const predicateLocation = wantsPredicate ? context.resultLocation(i, 1) : null;
  const isWholeMask = mask.kind === "const-int" && mask.value === ALL_LANES;
  const takesAllLanes = context.isFull && isWholeMask;
  if (location?.kind === "scalar") {
    const isWord = location.element === "f32" || location.element === "i32";
    if (takesAllLanes && amount.kind === "const-int" && isWord) {
      const lane = Number(amount.value & 31n);
      values.pushVector(value, lane >> 2);
      if (location.element === "f32") code.f32x4ExtractLane(lane & 3);
      else code.i32x4ExtractLane(lane & 3);
      code.localSet(location.local);
      return;
    }
    // one lane's value for all; 0 if that lane takes no part
    spillToSlot(code, values, context.scratch, value, 0);
    const lane = code.local("i32");
    values.pushScalar(amount);
    code.i32Const(31).i32And().localSet(lane);
    loadLane(code, context.scratch, lane, location.element, 0);
    if (location.element === "f32") code.f32Const(0);
    else code.i32Const(0);
    pushMembers(context, mask);
    code.localGet(lane).i32ShrU().i32Const(1).i32And().select();
    code.localSet(location.local);
    code.free(lane);
    return;
  }
  const sources = constantSources(mode, amount, clamp);
  const slow = (): void => {
    spillToSlot(code, values, context.scratch, value, 0);
    spillToSlot(code, values, context.scratch, amount, 1);
    spillToSlot(code, values, context.scratch, clamp, 2);
    spillToSlot(code, values, context.scratch, mask, 4);
    context.pushMask();
    code.call(context.helpers.shuffle(mode));
    if (predicateLocation) context.setMaskResult(predicateLocation);
    else code.drop();
    if (location?.kind === "vector") reloadFromSlot(code, location.locals, context.scratch, 3);
  };
  if (sources === null || location?.kind !== "vector") {
    slow();
    return;
  }
  if (!takesAllLanes) {
    // All lanes are active, and the source of each is in its membermask.
    if (values.isUniform(mask)) {
      pushMembers(context, mask);
      code.i32Const(-1).i32Eq();
    } else {
      context.pushMask();
      code.i32Const(-1).i32Eq();
      for (let s = 0; s < SLICES; s++) {
        const bit = (l: number): number => 1 << sources.from[4 * s + l]!;
        values.pushVector(mask, s);
        values.pushIntegers(bit(0), bit(1), bit(2), bit(3));
        code.v128And();
        if (s > 0) code.i32x4Const(0, 0, 0, 0).i32x4Ne().v128And();
        else code.i32x4Const(0, 0, 0, 0).i32x4Ne();
      }
      code.i32x4AllTrue().i32And();
    }
    code.if();
  }
  emitConstantShuffle(context, value, location.locals, sources.from);
  if (predicateLocation) {
    code.i32Const(sources.inRange);
    context.setMaskResult(predicateLocation);
  }
  if (!takesAllLanes) {
    code.else();
    slow();
    code.end();
  }
}

/** The source lane of every lane when amount and clamp are constants. */
function constantSources(
  mode: ShuffleMode,
  amount: IrValue,
  clamp: IrValue,
): { from: number[]; inRange: number } | null {
  if (amount.kind !== "const-int" || clamp.kind !== "const-int") return null;
  const [offset, control] = [Number(amount.value & 31n), Number(clamp.value & 0x1f1fn)];
  let inRange = 0;
  const from = Array.from({ length: LANES }, (_, lane) => {
    const source = shuffleSource(mode, lane, offset, control);
    if (source >= 0) inRange |= 1 << lane;
    return source >= 0 ? source : lane;
  });
  return { from, inRange };
}

/**
 * Makes every result slice from a few source slices by vector shuffles. The results are set last, because they may be
 * sources, too.
 */
function emitConstantShuffle(
  context: CrossLaneContext,
  value: IrValue,
  result: readonly Local[],
  from: readonly number[],
): void {
  const { code, values } = context;
  if (isWide(elementOf(value.type))) bug("shuffles are of 32-bit values");
  for (let s = 0; s < SLICES; s++) {
    const lanes = from.slice(4 * s, 4 * s + 4);
    const slices = [...new Set(lanes.map((l) => l >> 2))];
    if (slices.length === 1) {
      values.pushVector(value, slices[0]!);
      if (lanes.some((l, n) => (l & 3) !== n)) {
        const t = code.local("v128");
        code
          .localTee(t)
          .localGet(t)
          .i32x4Shuffle(lanes[0]! & 3, lanes[1]! & 3, lanes[2]! & 3, lanes[3]! & 3);
        code.free(t);
      }
    } else {
      // Each source slice but the first adds its lanes to what the stack has.
      const [first, ...others] = slices as [number, ...number[]];
      values.pushVector(value, first);
      others.forEach((slice, step) => {
        values.pushVector(value, slice);
        const pick = (n: number): number => {
          const lane = lanes[n]!;
          if (lane >> 2 === slice) return 4 + (lane & 3);
          return step === 0 && lane >> 2 === first ? lane & 3 : n;
        };
        code.i32x4Shuffle(pick(0), pick(1), pick(2), pick(3));
      });
    }
  }
  for (let s = SLICES - 1; s >= 0; s--) code.localSet(result[s]!);
}
