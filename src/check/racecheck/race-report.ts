/** The report of a race: both accesses, and what is missing between them. */
import type { Site } from "../../instrument/instrumenter.ts";
import { formatDim3, type Dim3 } from "../../base/dim3.ts";
import type { IrFunction } from "../../ir/model/ir.ts";
import type { CheckedDevice } from "../checker.ts";
import { countedBytes, type FindingDraft, type Note } from "../finding.ts";
import { withoutCasts } from "../../analysis/pointers/pointer-origins.ts";
import { changesMemory, isAtomic } from "./race-accesses.ts";
import type { RaceSite } from "./race-site.ts";

/** One of the two accesses. */
export interface RaceParty {
  /** null: not known any more. */
  readonly site: RaceSite | null;
  readonly block: Dim3 | null;
  readonly thread: Dim3 | null;
}

export type RaceFault =
  | "write-after-write"
  | "read-after-write"
  | "write-after-read"
  | "atomic-and-plain"
  | "insufficient-scope";

/** `Finding.details` of racecheck. */
export interface RaceDetails {
  readonly address: number;
  readonly object: RaceSite["object"];
  readonly other: {
    readonly location: Site["location"];
    readonly block: Dim3 | null;
    readonly thread: Dim3 | null;
  } | null;
  /** Who races: lanes of a warp, warps of a block, blocks. */
  readonly between: Between;
}

export type Between = "warp" | "block" | "grid";

export const TITLES: Readonly<Record<RaceFault, string>> = {
  "write-after-write": "race: write after write",
  "read-after-write": "race: read after write",
  "write-after-read": "race: write after read",
  "atomic-and-plain": "race: atomic and plain access",
  "insufficient-scope": "race: scope too narrow",
};

/** What is missing between two accesses, and what usually helps. */
interface Missing {
  readonly text: string;
  readonly help: string;
}

const MISSING: Readonly<Record<Between, Missing>> = {
  warp: {
    text: "nothing orders the two: lanes of a warp do not run in step, and no __syncwarp() stands between",
    help: "put __syncwarp() between the two accesses, or let one lane do it",
  },
  block: {
    text: "nothing orders the two: no __syncthreads() stands between",
    help:
      "put __syncthreads() between the two accesses, at a place that all threads of the block reach, or give each " +
      "thread elements of its own",
  },
  grid: {
    text: "nothing orders the two: blocks of a launch run in any order",
    help: "give each block elements of its own, use atomic operations, or do it in two launches",
  },
};

/** The same in a kernel that has fences, locks, flags or barriers of some threads. */
const UNORDERED: Readonly<Record<Between, Missing>> = {
  warp: {
    text:
      "nothing orders the two: no __syncwarp() that both lanes take part in stands between, and no flag or " +
      "lock that the first releases and the second acquires",
    help: "put a __syncwarp() whose mask has both lanes between the two accesses",
  },
  block: {
    text:
      "nothing orders the two: no barrier that both threads take part in stands between, and no flag or " +
      "lock that the first releases and the second acquires",
    help:
      "put a barrier between the two accesses that both threads wait at; with a flag or lock, a fence " +
      "behind the first access and before the flag is set, and one behind reading it and before the second " +
      "access",
  },
  grid: {
    text:
      "nothing orders the two: the first is not released (a fence behind it by the same thread, or a " +
      "barrier and then a fence, and then an atomic operation), or the second comes without acquiring " +
      "(reading what that operation wrote, and then a fence)",
    help:
      "put __threadfence() behind the first access and before the flag, counter or lock is written, behind " +
      "reading it and before the second access; where other threads of the block made the access, " +
      "__syncthreads() before that",
  },
};

/** The same of distributed shared memory. */
const UNORDERED_IN_CLUSTER: Missing = {
  text:
    "nothing orders the two: they are of two blocks of a cluster, and no barrier that both threads take part in " +
    "stands between",
  help: "put cluster.sync() between the two accesses, at a place that all threads of the cluster reach",
};

const NARROW: Missing = {
  text: "a fence or an atomic operation between the two has a scope that does not cover both threads",
  help:
    "use __threadfence() and atomic operations without _block, or thread_scope_device: what one block does " +
    "must be seen by another",
};

const NARROW_OPERATION: Missing = {
  text: "an atomic operation of block scope is not atomic for other blocks",
  help: "use the operation without _block, or with a scope that covers the grid",
};

/** What stands between two accesses. */
export interface Order {
  readonly between: Between;
  /** The two would be ordered if no scope were too narrow. */
  readonly isNarrow: boolean;
  /** More than barriers of whole blocks and warps orders threads of this kernel. */
  readonly isOrdered: boolean;
  /** In shared memory. */
  readonly isBlockMemory: boolean;
}

/** Where two accesses are done. */
export interface Surroundings {
  readonly kernel: IrFunction;
  /** All that an unrolled loop has made of an access. */
  copiesOf(site: RaceSite): readonly RaceSite[];
}

/**
 * @param me the access that was found to race. @param other what it races with. @param otherKind what the other did.
 */
export function describeRace(
  me: RaceParty & { readonly site: RaceSite; readonly block: Dim3; readonly thread: Dim3 },
  other: RaceParty,
  otherKind: "read" | "write",
  order: Order,
  { address, value }: { readonly address: number; readonly value: number },
  { readable }: CheckedDevice,
  around: Surroundings,
): FindingDraft & { at: Site; by: { block: Dim3; thread: Dim3 } } {
  const { between, isNarrow } = order;
  const mine = me.site;
  const theirs = other.site;
  // One statement reads, changes and writes: an update that others' updates get lost in, wherever the two have met.
  const update =
    theirs !== null && theirs !== mine && isOneElement(mine, theirs) && ![mine.kind, theirs.kind].some(isAtomic);
  const known = theirs !== null && other.block !== null && other.thread !== null;
  const swap = known && (update ? mine.kind === "read" : comesFirst(mine, theirs, around, between));
  const [first, second] = swap ? [me, other] : [other, me];
  const met = update ? "write-after-write" : faultOf(first.site, second.site as RaceSite, otherKind);
  const kind = isNarrow ? "insufficient-scope" : met;
  const at = second as RaceParty & { readonly site: RaceSite; readonly block: Dim3; readonly thread: Dim3 };
  const name = nameOf(at.site, readable);
  const notes: Note[] = [];
  const who = [
    first.thread === null ? "another thread" : `thread ${formatDim3(first.thread)}`,
    first.block === null ? "" : ` of block ${formatDim3(first.block)}`,
  ].join("");
  const what = first.site === null ? otherKind : verb(first.site);
  const ofValue = first === me ? valued(mine, value, " of the value ") : "";
  const where = first.site === mine && first.site === at.site ? ", in the same place" : ":";
  notes.push({
    text: `races with the ${what}${ofValue} by ${who}${where}`,
    location: first.site === at.site ? null : (first.site?.location ?? null),
  });
  const atValue = second === me ? valued(mine, value, ", the value ") : "";
  const missing = missingBetween(kind, order);
  notes.push({ text: missing.text });
  const details: RaceDetails = {
    address,
    object: at.site.object,
    other: { location: first.site?.location ?? null, block: first.block, thread: first.thread },
    between,
  };
  return {
    kind,
    title: TITLES[kind],
    message: `${verb(at.site)} of ${countedBytes(at.site.bytes)}${name}${atValue}`,
    notes,
    help:
      kind === "atomic-and-plain" && between !== "grid"
        ? `use atomic operations for all accesses, or ${missing.help}`
        : missing.help,
    details: { ...details },
    at: at.site,
    by: { block: at.block, thread: at.thread },
  };
}

function missingBetween(kind: RaceFault, { between, isNarrow, isOrdered, isBlockMemory }: Order): Missing {
  if (isNarrow) return NARROW;
  if (kind === "insufficient-scope") return NARROW_OPERATION;
  if (between === "grid" && isBlockMemory) return UNORDERED_IN_CLUSTER;
  return (isOrdered ? UNORDERED : MISSING)[between];
}

/**
 * By the code they access one element, which was computed once; what is no computed address is accessed in one place in
 * one line.
 */
export function isOneElement(a: RaceSite, b: RaceSite): boolean {
  const pointer = withoutCasts(a.pointer);
  return (
    pointer === withoutCasts(b.pointer) && (pointer.kind === "instruction" || a.location?.line === b.location?.line)
  );
}

export function verb({ kind, volatile }: Pick<RaceSite, "kind" | "volatile">): string {
  if (volatile) return kind === "atomic" ? "volatile write" : "volatile read";
  return ({ read: "read", write: "write", atomic: "atomic operation", "atomic-read": "atomic read" } as const)[kind];
}

/** What was read or written, where that is one number. */
function valued({ kind, valueType }: RaceSite, word: number, before: string): string {
  if (valueType === null || isAtomic(kind)) return "";
  if (valueType === "int") return `${before}${word | 0}`;
  const [float] = new Float32Array(Uint32Array.of(word).buffer) as unknown as [number];
  return `${before}${Number(float.toPrecision(6))}`;
}

export function nameOf({ object }: Pick<RaceSite, "object">, readable: (name: string) => string): string {
  switch (object.kind) {
    case "shared":
      return ` of the shared array ${readable(object.name)}`;
    case "dynamic-shared":
      return ` of the dynamic shared memory ${readable(object.name)}`;
    case "variable":
      return ` of the variable ${readable(object.name)}`;
    case "parameter":
      return ` of what the parameter ${object.name} points to`;
    default:
      return "";
  }
}

/** Volatile accesses are no atomic operations to the programmer, though they do not race with one another. */
function isAtomicOperation({ kind, volatile }: RaceSite): boolean {
  return isAtomic(kind) && !volatile;
}

function faultOf(first: RaceSite | null, second: RaceSite, firstKind: "read" | "write"): RaceFault {
  if (first !== null && (isAtomicOperation(first) || isAtomicOperation(second)))
    return isAtomic(first.kind) && isAtomic(second.kind) ? "insufficient-scope" : "atomic-and-plain";
  const firstReads = first === null ? firstKind === "read" : !changesMemory(first.kind);
  if (!changesMemory(second.kind)) return "read-after-write";
  return firstReads ? "write-after-read" : "write-after-write";
}

function ofOneFunction(a: Site["location"], b: Site["location"]): boolean {
  return (
    a !== null &&
    b !== null &&
    a.file === b.file &&
    a.functionName === b.functionName &&
    (a.line !== b.line || a.column !== b.column)
  );
}

/**
 * Which of two accesses a thread comes by first, with nothing in between that is missing. Where a loop makes both ways
 * possible, what is written is read; on two sides of a branch, which the compiler may have made, they stand as they are
 * written. What a called function does stands where it is called.
 */
function comesFirst(a: RaceSite, b: RaceSite, { copiesOf, kernel }: Surroundings, between: Between): boolean {
  const atomicFirst = Number(isAtomicOperation(a)) - Number(isAtomicOperation(b));
  // The plain access is to blame.
  if (atomicFirst !== 0) return atomicFirst > 0;
  const places =
    a.flow === b.flow
      ? { flow: a.flow, a: copiesOf(a).map(({ order }) => order), b: copiesOf(b).map(({ order }) => order) }
      : a.flow.flows.inOne(a, b, kernel);
  if (places !== null) {
    const { flow } = places;
    const reaches = (from: readonly number[], to: readonly number[]): boolean =>
      from.some((start) => to.some((end) => flow.reaches(start, end, between)));
    const [forth, back] = [reaches(places.a, places.b), reaches(places.b, places.a)];
    if (forth !== back) return forth;
    if (forth && changesMemory(a.kind) !== changesMemory(b.kind)) return changesMemory(a.kind);
    if (a.flow !== b.flow) return Math.min(...places.a) < Math.min(...places.b);
    if (forth || !ofOneFunction(a.location, b.location)) return a.order < b.order;
  }
  const [left, right] = [a.location, b.location];
  if (left === null || right === null || left.file !== right.file) return false;
  return left.line !== right.line ? left.line < right.line : left.column < right.column;
}
