/**
 * Shuffles, votes, matches and reductions across the lanes of a warp (PTX ISA, 9.7.9 shfl.sync and 9.7.13).
 *
 * Only reached where no lane waits elsewhere (schedule.ts), so the lanes that take part are the active ones that the
 * membermask names. A shuffle by a constant amount becomes vector shuffles when all 32 lanes take part; everything else
 * goes through scratch.
 */
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type { CallInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { CrossLaneHelpers, ShuffleMode } from "./shuffle-and-vote-helpers.ts";
import { elementOf, isWide } from "./element.ts";
import type { ConditionMasks } from "../codegen/condition-masks.ts";
import { loadLane, reloadFromSlot, spillToSlot } from "./lane-scratch.ts";
import { LANES, SLICES } from "../../../analysis/lane-shape.ts";
import type { ValueLocation, Values } from "./value-location.ts";

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
  const { code, values } = context;
  const facts = intrinsicOf(name);
  if (facts === null) return false;
  const { operation, vote, shuffle, reduction, match } = facts;
  const pushTaking = (mask: IrValue): void => {
    context.pushMask();
    if (!(mask.kind === "const-int" && mask.value === 0xffffffffn)) {
      values.pushScalar(mask);
      code.i32And();
    }
  };
  const setScalar = (): void => {
    const location = context.resultLocation(i, 0);
    if (location === null) {
      code.drop();
      return;
    }
    if (location.kind !== "scalar") bug(`${name} has a uniform result`);
    code.localSet(location.local);
  };
  if (operation === "bar.warp.sync") return true;
  if (operation === "activemask") {
    context.pushMask();
    setScalar();
    return true;
  }
  if (vote !== null) {
    if (!values.isUniform(i.args[0]!)) {
      emitGroupVote(context, i, vote.mode);
      return true;
    }
    const taking = code.local("i32");
    const bits = code.local("i32");
    pushTaking(i.args[0]!);
    code.localSet(taking);
    context.conditions.push(i.args[1]!);
    code.localGet(taking).i32And().localSet(bits);
    code.localGet(bits);
    if (vote.mode === "all") code.localGet(taking).i32Eq();
    else if (vote.mode === "any") code.i32Const(0).i32Ne();
    else if (vote.mode === "uni") code.i32Eqz().localGet(bits).localGet(taking).i32Eq().i32Or();
    setScalar();
    code.free(taking, bits);
    return true;
  }
  if (shuffle?.hasMask) {
    emitShuffle(context, i, shuffle.mode, shuffle.withPredicate, pushTaking);
    return true;
  }
  if (reduction !== null && reduction.operator !== "fmin" && reduction.operator !== "fmax") {
    spillToSlot(code, values, context.scratch, i.args[0]!, 0);
    if (!values.isUniform(i.args[1]!)) {
      spillToSlot(code, values, context.scratch, i.args[1]!, 4);
      context.pushMask();
      code.call(context.helpers.reduceGroups(reduction.operator)).drop();
      const location = context.resultLocation(i, 0);
      if (location?.kind === "vector") reloadFromSlot(code, location.locals, context.scratch, 3);
      return true;
    }
    pushTaking(i.args[1]!);
    code.call(context.helpers.reduce(reduction.operator));
    setScalar();
    return true;
  }
  if (match !== null) {
    const element = match.bits === 64 ? "i64" : "i32";
    spillToSlot(code, values, context.scratch, i.args[1]!, 0);
    spillToSlot(code, values, context.scratch, i.args[0]!, 4);
    context.pushMask();
    code.call(context.helpers.match(element));
    const predicate = match.mode === "all" ? context.resultLocation(i, 1) : null;
    if (predicate) context.setMaskResult(predicate);
    else code.drop();
    const location = context.resultLocation(i, 0);
    if (location?.kind === "vector")
      reloadFromSlot(code, location.locals, context.scratch, match.mode === "any" ? 3 : 5);
    return true;
  }
  if (shuffle !== null || reduction !== null) throw unsupported(`${name} in the warp tier`);
  return false;
}

/** A vote whose membermask differs between groups of lanes: every lane gets its own group's. */
function emitGroupVote(context: CrossLaneContext, i: CallInstruction, kind: "all" | "any" | "uni" | "ballot"): void {
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

function emitShuffle(
  context: CrossLaneContext,
  i: CallInstruction,
  mode: ShuffleMode,
  wantsPredicate: boolean,
  pushTaking: (mask: IrValue) => void,
): void {
  const { code, values } = context;
  const [mask, value, amount, clamp] = i.args as [IrValue, IrValue, IrValue, IrValue];
  const location = context.resultLocation(i, 0);
  const predicateLocation = wantsPredicate ? context.resultLocation(i, 1) : null;
  if (location?.kind === "scalar") {
    // one lane's value for all; 0 if that lane takes no part
    spillToSlot(code, values, context.scratch, value, 0);
    const lane = code.local("i32");
    values.pushScalar(amount);
    code.i32Const(31).i32And().localSet(lane);
    loadLane(code, context.scratch, lane, location.element, 0);
    if (location.element === "f32") code.f32Const(0);
    else code.i32Const(0);
    pushTaking(mask);
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
  const isWholeMask = mask.kind === "const-int" && mask.value === 0xffffffffn;
  const takesAllLanes = context.isFull && isWholeMask;
  if (!takesAllLanes) {
    // All lanes are active, and the source of each is in its membermask.
    if (values.isUniform(mask)) {
      pushTaking(mask);
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
  const b = Number(amount.value & 31n);
  const segment = Number((clamp.value >> 8n) & 31n);
  const limitBits = Number(clamp.value & 31n);
  let inRange = 0;
  const from = Array.from({ length: LANES }, (_, lane) => {
    const limit = (lane & segment) | (limitBits & ~segment);
    const source =
      mode === "idx"
        ? (lane & segment) | (b & ~segment)
        : mode === "up"
          ? lane - b
          : mode === "down"
            ? lane + b
            : lane ^ b;
    const ok = mode === "up" ? source >= limit : source <= limit;
    if (ok) inRange |= 1 << lane;
    return ok ? source : lane;
  });
  return { from, inRange };
}

/**
 * Every result slice from at most a few source slices by byte shuffles; results are set after all are made (they may be
 * sources).
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
      // fold in one source slice after the other
      const [a, b, ...rest] = slices as [number, number, ...number[]];
      const pick = (l: number, n: number): number => (l >> 2 === a ? l & 3 : l >> 2 === b ? 4 + (l & 3) : n);
      values.pushVector(value, a);
      values.pushVector(value, b);
      code.i32x4Shuffle(pick(lanes[0]!, 0), pick(lanes[1]!, 1), pick(lanes[2]!, 2), pick(lanes[3]!, 3));
      for (const r of rest) {
        values.pushVector(value, r);
        const add = (l: number, n: number): number => (l >> 2 === r ? 4 + (l & 3) : n);
        code.i32x4Shuffle(add(lanes[0]!, 0), add(lanes[1]!, 1), add(lanes[2]!, 2), add(lanes[3]!, 3));
      }
    }
  }
  for (let s = SLICES - 1; s >= 0; s--) code.localSet(result[s]!);
}
