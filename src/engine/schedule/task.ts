/**
 * Tasks: what the block scheduler runs (block-scheduler.ts has their states).
 *
 * A task runs one or more threads (lanes) of one warp until all of them wait, yield, or have ended. Tasks of a warp
 * have disjoint lanes; the thread tier has one task for each warp, whose lanes are coroutines of their own.
 *
 * Contract
 * - `run()` continues every lane that is not waiting. It returns when no lane of the task can continue.
 * - Afterwards `waits` holds one entry for each group of lanes that began to wait in this run, at the same place for
 *   the same thing. The scheduler owns the entries.
 * - The scheduler answers a wait with `setResults`, where the operation has any, then `resume(lanes)`, and calls
 *   `run()` again in a later round.
 * - Lanes that end (return from the kernel, or exit) are reported once through `exitedLanes`, which the scheduler
 *   clears.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { BlockWindows, Counters } from "../../machine/warp-counts.ts";

/**
 * ended: every lane has ended. waiting: every live lane has a wait. yielded: at least one lane spins (or sleeps) and
 * wants to run again in the next round; its other lanes may wait. fault: a fault record was written; the
 * launch ends. split: the task gives its threads up to others: the scheduler replaces it by `split()`.
 */
export type TaskStatus = "ended" | "waiting" | "yielded" | "fault" | "split";

/** "arrive" counts the lanes as arrived and lets them go on at once. */
export type BarrierReduction = "none" | "arrive" | "popc" | "and" | "or";

/** What a group of lanes waits for. */
export type WaitOperation =
  /**
   * barrier.cta.sync / red: `threads` is the expected count, -1 for all live threads of the block. Operand: the
   * predicate.
   */
  | { readonly kind: "barrier"; readonly reduction: BarrierReduction }
  /**
   * All lanes of `mask` that have not ended must come to the same operation. Operands and results: collectives.ts.
   * `converged` (activemask, shuffles without a mask, counts): the lanes that wait at the same site when no other lane
   * can run.
   */
  | { readonly kind: "collective"; readonly operation: CollectiveOperation; readonly converged: boolean }
  /**
   * wgmma.wait_group: every live thread of the warpgroup must have committed `threads` groups of products
   * (interpreter/product-groups.ts).
   */
  | { readonly kind: "products" }
  /** The barrier of a thread block cluster: "arrive" lets the lanes go on at once. */
  | { readonly kind: "cluster"; readonly action: "arrive" | "wait" }
  /** Cooperative launch: all live threads of the grid. */
  | { readonly kind: "grid-sync" };

export type CollectiveOperation =
  | "syncwarp"
  | "activemask"
  | "count-warps"
  | "count-branch"
  | "count-access"
  | "count-lines"
  | "count-begin"
  | "count-clock"
  | "count-arrive"
  | "shfl-idx"
  | "shfl-up"
  | "shfl-down"
  | "shfl-bfly"
  | "vote-all"
  | "vote-any"
  | "vote-uni"
  | "vote-ballot"
  | "match-any"
  | "match-all"
  | "redux-add"
  | "redux-min"
  | "redux-max"
  | "redux-umin"
  | "redux-umax"
  | "redux-and"
  | "redux-or"
  | "redux-xor"
  | "redux-fmin"
  | "redux-fmax"
  | "redux-fmin-abs"
  | "redux-fmax-abs"
  | "redux-fmin-nan"
  | "redux-fmax-nan"
  | "redux-fmin-abs-nan"
  | "redux-fmax-abs-nan";

export interface Wait {
  /** Lanes of the warp, a bit mask (as an int32; bit 31 may make it negative). */
  readonly lanes: number;
  readonly operation: WaitOperation;
  /** barrier: its number, 0–15. Otherwise 0. */
  readonly barrier: number;
  /** barrier: expected number of threads, -1 for all that live. products: groups that all must have committed. */
  readonly threads: number;
  /** collective: the membermask; of a count, its order (machine/warp-counts.ts). */
  readonly mask: number;
  /** Identifies the place in the code (for activemask groups and reports); index into the compiled kernel's sites. */
  readonly site: number;
}

export interface Task {
  /** The warp's index in its block. */
  readonly warp: number;
  /** The live lanes of this task. */
  readonly lanes: number;
  run(): TaskStatus;
  readonly waits: readonly Wait[];
  /** Lanes that ended since the scheduler last set this to 0. */
  exitedLanes: number;
  /** Lanes that yielded in the last run. */
  readonly yieldedLanes: number;
  /** The place at which a lane yielded last: an index into the compiled kernel's sites. */
  yieldSite(lane: number): number;
  /**
   * Writes an operand of waiting lanes into `into`, by lane: 0 the value (low word), 1 its high word (64-bit match), 2
   * the lane operand of a shuffle, 3 its clamp-and-mask operand. For barrier reductions and votes operand 0 is the
   * predicate.
   */
  operands(lanes: number, index: 0 | 1 | 2 | 3, into: Int32Array): void;
  /** The fewest groups of products that one of the lanes has committed; Infinity for no lanes. */
  fewestProducts(lanes: number): number;
  /** Results of waiting lanes, by lane. `high`: second word (the predicate of shuffles and match.all "p" forms). */
  setResults(lanes: number, low: Int32Array, high: Int32Array): void;
  resume(lanes: number): void;
  /** Only after "split": tasks for the live lanes. */
  split(): Task[];
  /** Only after "fault". */
  faultRecord(): FaultRecord;
  /**
   * A copy of all that decides what the task does next (its live values and places), memory aside; null when it cannot
   * say. Two equal states with no memory change in between prove that a yielding task repeats itself.
   */
  state(): Uint8Array | null;
}

/** What emitted code records of a fault. The codes stand in emit/environment.ts. */
export interface FaultRecord {
  readonly lane: number;
  readonly code: number;
  readonly site: number;
  readonly address: number;
  /** 0: as many as the site's access. */
  readonly bytes: number;
}

/** Where a site is, for reports and fault records. */
export interface Site {
  readonly location: SourceLocation | null;
  /** What the instruction accesses, for address faults. */
  readonly access: {
    readonly bytes: number;
    readonly align: number;
    readonly kind: "load" | "store" | "atomic";
  } | null;
}

/** Makes tasks out of blocks. One for each launch and thread that runs blocks. */
export interface TaskSource {
  /**
   * Makes the memory of resident slot `slot` (0, 1, …) if it is not there. False when there is none left; throws for
   * slot 0.
   */
  prepare(slot: number): boolean;
  /** Tasks for the block with coordinates `ctaid` in a prepared slot that holds no other block. */
  start(slot: number, ctaid: Dim3): readonly Task[];
  /** Counts changes of memory made by loops that may spin; equal numbers mean that spinning changed nothing. */
  memoryVersion(): number;
  /** Where the memory of the block in a slot lies. */
  windows(slot: number): Omit<BlockWindows, "block" | "warp">;
  /** Of a tool (machine/warp-counts.ts). */
  readonly counters: Counters;
  readonly sites: readonly Site[];
}
