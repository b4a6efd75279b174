/**
 * What the threads of a warp do together: shuffles, votes, matches, reductions, warp barriers (PTX ISA 9.7.9.6,
 * 9.7.13).
 *
 * A thread waits at a collective until every thread that its mask names and that has not exited waits at the same
 * operation with the same mask (the same operation, not the same instruction: PTX asks for no more). A thread that
 * calls without naming itself takes part all the same. Threads that are named but wait elsewhere, at a barrier of the
 * block for instance, are waited for in vain: a deadlock, as it is on an H200 (tried: `if (t < 16)
 * __shfl_down_sync(~0u, v, 8); __syncthreads();` hangs there, and so does __syncwarp in its place; masks that name
 * exited or other diverged threads do not).
 *
 * activemask, and the shuffles of old without a mask, are for "the threads that are converged here": the ones of the
 * warp that wait at this instruction once all others have come to a stop (wait, gave way, exited).
 */
import type { CountFacts, IntrinsicFacts, ReductionFacts, ShuffleFacts, VoteFacts } from "../../ir/intrinsics/facts.ts";
import { bug } from "../../base/diagnostics.ts";
import { WARP_LANES } from "../../machine/memory-map.ts";
import {
  countAccess,
  countBranch,
  countLines,
  countWarp,
  sharedCounters,
  unpackAccess,
} from "../../machine/warp-counts.ts";
import type { CollectiveArrival, Thread, Warp } from "./thread.ts";
import type { Value } from "./value.ts";

/** The threads that take part, by lane. */
type Participants = readonly Thread[];

/** Completes every collective of the warp whose threads are all there. Returns whether any was. */
export function completeCollectives(warp: Warp): boolean {
  let completed = false;
  for (const thread of warp.threads) {
    const arrival = thread.collective;
    if (arrival === null || arrival.mask === null) continue;
    const group = warp.threads.filter((other) => matches(other.collective, arrival));
    if (warp.threads.some((other) => isNamed(other, arrival.mask as number) && !group.includes(other))) continue;
    complete(group);
    completed = true;
  }
  return completed || completeConverged(warp);
}

function isNamed(thread: Thread, mask: number): boolean {
  return thread.state !== "done" && ((mask >>> thread.lane) & 1) === 1;
}

function matches(a: CollectiveArrival | null, b: CollectiveArrival): boolean {
  return (
    a !== null &&
    a.mask === b.mask &&
    (b.mask === null ? a.instruction === b.instruction : a.intrinsic.name === b.intrinsic.name)
  );
}

/**
 * activemask, shuffles without a mask and counts: complete when no thread of the warp can run in this round. Counts are
 * first, because a thread that is counted does not wait; of these the one of the lowest order, so that lanes that went
 * apart are counted together from where they meet again; of the same order the one that came first.
 */
function completeConverged(warp: Warp): boolean {
  if (warp.threads.some((thread) => thread.state === "ready")) return false;
  let first: CollectiveArrival | null = null;
  for (const { collective } of warp.threads) {
    if (collective === null || collective.mask !== null) continue;
    if (first === null || goesBefore(collective, first)) first = collective;
  }
  if (first === null) return false;
  const arrival = first;
  complete(warp.threads.filter((other) => matches(other.collective, arrival)));
  return true;
}

function goesBefore(a: CollectiveArrival, b: CollectiveArrival): boolean {
  const [x, y] = [orderOf(a), orderOf(b)];
  return x < y || (x === y && a.serial < b.serial);
}

function orderOf({ intrinsic, args }: CollectiveArrival): number {
  return intrinsic.count === null ? Infinity : (args[1] as number);
}

function complete(group: Participants): void {
  const { intrinsic } = (group[0] as Thread).collective as CollectiveArrival;
  const results = collectiveResults(intrinsic, group);
  group.forEach((thread, i) => {
    const { slot } = thread.collective as CollectiveArrival;
    if (slot >= 0) thread.frame.values[slot] = results[i] as Value;
    thread.collective = null;
    thread.state = "ready";
  });
}

// ---------------------------------------------------------------- results

function collectiveResults(intrinsic: IntrinsicFacts, group: Participants): Value[] {
  const { name, operation, shuffle, vote, match, reduction, count } = intrinsic;
  const argument = (index: number): Value[] =>
    group.map(
      (thread) =>
        ((thread.collective as CollectiveArrival).args[index] ?? bug(`argument ${index} of ${name}`)) as Value,
    );
  const all = (value: Value): Value[] => group.map(() => value);
  if (operation === "bar.warp.sync") return all(0);
  if (count !== null) {
    countExecution(count, group, argument);
    return all(0);
  }
  if (operation === "activemask") return all(maskOf(group, () => true));
  if (shuffle !== null) return shuffleResults(shuffle, group, argument);
  if (vote !== null) return all(voteResult(vote.mode, group, argument(1)));
  if (match !== null) {
    const values = argument(1);
    if (match.mode === "any") return values.map((value) => maskOf(group, (i) => values[i] === value));
    const same = values.every((value) => value === values[0]);
    return all([same ? maskOf(group, () => true) : 0, Number(same)]);
  }
  if (reduction !== null) return all(reduce(reduction, argument(0) as number[]));
  return bug(`no meaning for the collective ${name}`);
}

/** What the lanes of one execution add to a tool's counters. */
function countExecution({ what }: CountFacts, group: Participants, argument: (index: number) => Value[]): void {
  const { block } = group[0] as Thread;
  const { view } = block.grid.memory;
  const record = argument(0)[0] as number;
  const counters = sharedCounters(() => view.buffer);
  const lanes = maskOf(group, () => true);
  const warp = block.warps.indexOf((group[0] as Thread).warp);
  if (what === "warps") countWarp(record, lanes, counters);
  // The clocks of a block begin at 0.
  else if (what === "begin") return;
  else if (what === "clock") block.clocks.executed(warp, argument(2)[0] as number);
  else if (what === "arrive") block.clocks.arrive(warp, lanes, record, counters);
  else if (what === "branch") {
    const taken = argument(2);
    countBranch(
      record,
      lanes,
      maskOf(group, (i) => taken[i] === 1),
      counters,
    );
  } else {
    const addresses = new Array<number>(WARP_LANES).fill(0);
    group.forEach((thread, i) => (addresses[thread.lane] = argument(2)[i] as number));
    const windows = {
      ...block,
      localBytesPerThread: block.localBytes / block.threads.length,
      block: block.linear,
      warp,
    };
    if (what === "lines") {
      countLines(record, argument(3)[0] as number, { lanes, addresses }, windows, counters);
      return;
    }
    const packed = unpackAccess(argument(3)[0] as number);
    countAccess(record, packed, { lanes, addresses, bytes: packed.bytes }, windows, counters);
  }
}

/** The lanes of the participants that are picked by their index. */
function maskOf(group: Participants, pick: (index: number) => boolean): number {
  return group.reduce((mask, thread, i) => (pick(i) ? mask | (1 << thread.lane) : mask), 0) >>> 0;
}

function voteResult(mode: VoteFacts["mode"], group: Participants, values: readonly Value[]): number {
  const predicates = values.map((value) => value === 1);
  switch (mode) {
    case "any":
      return Number(predicates.some(Boolean));
    case "all":
      return Number(predicates.every(Boolean));
    case "uni":
      return Number(predicates.every((predicate) => predicate === predicates[0]));
    case "ballot":
      return maskOf(group, (i) => predicates[i] === true);
  }
}

function reduce({ operator, absolute, nan }: ReductionFacts, values: readonly number[]): number {
  const signed = values.map((value) => value | 0);
  switch (operator) {
    case "add":
      return values.reduce((a, b) => (a + b) >>> 0);
    case "min":
      return Math.min(...signed) >>> 0;
    case "max":
      return Math.max(...signed) >>> 0;
    case "umin":
      return Math.min(...values);
    case "umax":
      return Math.max(...values);
    case "and":
      return values.reduce((a, b) => (a & b) >>> 0);
    case "or":
      return values.reduce((a, b) => (a | b) >>> 0);
    case "xor":
      return values.reduce((a, b) => (a ^ b) >>> 0);
    case "fmin":
    case "fmax": {
      const operands = absolute ? values.map(Math.abs) : values;
      const numbers = operands.filter((value) => value === value);
      if (numbers.length === 0 || (nan && numbers.length < operands.length)) return NaN;
      return operator === "fmin" ? Math.min(...numbers) : Math.max(...numbers);
    }
  }
}

/** PTX ISA 9.7.9.6, shfl.sync; the operand c holds the clamp in bits 0–4 and the segment mask in bits 8–12. */
function shuffleResults(
  { mode, hasMask, withPredicate }: ShuffleFacts,
  group: Participants,
  argument: (index: number) => Value[],
): Value[] {
  const first = hasMask ? 1 : 0;
  const values = argument(first);
  const offsets = argument(first + 1) as number[];
  const controls = argument(first + 2) as number[];
  const byLane = new Map(group.map((thread, i) => [thread.lane, values[i] as Value]));
  return group.map((thread, i) => {
    const { source, valid } = shuffleSource(mode, thread.lane, offsets[i] as number, controls[i] as number);
    // PTX leaves open what comes from a lane that takes no part; on an H200 it is 0, and programs pass because of it.
    const value = byLane.get(source) ?? (typeof values[i] === "bigint" ? 0n : 0);
    return withPredicate ? [value, Number(valid)] : value;
  });
}

/**
 * The lane that `lane` reads from, and whether it lies in the segment; else it reads from itself. The reference for
 * machine/shuffle.ts, which the compiled engines use.
 */
export function shuffleSource(mode: string, lane: number, b: number, c: number): { source: number; valid: boolean } {
  const offset = b & 31;
  const clamp = c & 31;
  const segment = (c >>> 8) & 31;
  const maxLane = (lane & segment) | (clamp & ~segment);
  const minLane = lane & segment;
  let source: number;
  let valid: boolean;
  switch (mode) {
    case "up":
      source = lane - offset;
      valid = source >= maxLane;
      break;
    case "down":
      source = lane + offset;
      valid = source <= maxLane;
      break;
    case "bfly":
      source = lane ^ offset;
      valid = source <= maxLane;
      break;
    case "idx":
      source = minLane | (offset & ~segment);
      valid = source <= maxLane;
      break;
    default:
      return bug(`shuffle mode ${mode}`);
  }
  return { source: valid ? source : lane, valid };
}
