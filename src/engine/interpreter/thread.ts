/** The state of a thread, of its warp and of its block, while the interpreter runs them. */
import type { IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { BlockClocks } from "../../machine/barrier-skew.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";

import type { Grid } from "./grid.ts";
import { Fault } from "./memory.ts";
import type { Value } from "./value.ts";

/**
 * ready: can run · waiting: at a barrier, a warp collective, for products or the grid · yielded: was preempted or
 * yielded, runs again in the next round · done: has exited.
 */
export type ThreadState = "ready" | "waiting" | "yielded" | "done";

/** One activation of a function. */
export interface Frame {
  readonly code: FunctionCode;
  readonly values: Value[];
  /** Index of the next step. */
  pc: number;
  /** Where the caller wants the result: a slot of its frame, or -1. */
  readonly resultSlot: number;
  readonly caller: Frame | null;
  /** What the thread's stack pointer returns to. */
  readonly stackPointer: number;
  /** Where the arguments that match `...` lie, for va_start. */
  readonly variadic: number;
  /** 1 for the kernel itself. */
  readonly depth: number;
}

/** What a thread brings to the collective at which it waits. */
export interface CollectiveArrival {
  readonly intrinsic: IntrinsicFacts;
  readonly instruction: CallInstruction;
  /** The lanes of the membermask; null for activemask and shuffles without a mask: the lanes that converge here. */
  readonly mask: number | null;
  readonly args: readonly Value[];
  readonly slot: number;
  /** Counts the arrivals of the warp's threads. */
  readonly serial: number;
}

export interface Thread {
  readonly block: Block;
  readonly warp: Warp;
  readonly index: Dim3;
  /** Index in the block, x fastest. */
  readonly linear: number;
  readonly lane: number;
  state: ThreadState;
  frame: Frame;
  /** The local stack grows up from stackBase to stackEnd. */
  stackPointer: number;
  readonly stackEnd: number;
  collective: CollectiveArrival | null;
  /** The barrier at which it waits; products: those of its warpgroup. */
  barrier:
    | { readonly slot: number; readonly predicate: boolean; readonly kind: string }
    | "grid"
    | "cluster"
    | "products"
    | null;
  /** Groups of products (wgmma) that it has committed, and how many every thread of its warpgroup must have. */
  productGroups: number;
  awaitedGroups: number;
  /** Whether it has arrived at the cluster's barrier in its present phase. */
  atCluster: boolean;
  /** Steps since the thread was last chosen to run. */
  steps: number;
  /** The memory version at which a loop was seen to repeat itself exactly; -1: it makes progress. */
  spinningSince: number;
  /** Whether a snapshot was taken in this round. */
  observing: boolean;
  /** The state that a repeating loop is recognised by: its back edge and the values of its frame. */
  snapshot: {
    readonly frame: Frame;
    readonly pc: number;
    readonly values: readonly Value[];
    readonly version: number;
  } | null;
}

export interface Warp {
  readonly index: number;
  /** By lane; the last warp of a block may have fewer than 32. */
  readonly threads: Thread[];
  /** Threads that have come to a collective. */
  arrivals: number;
}

/** The blocks of a thread block cluster; without clusters each block is one. */
export interface Cluster {
  readonly extents: Dim3;
  /** By rank. */
  readonly blocks: Block[];
  /** Where the shared memory of the first block begins, and from one to the next; 0 for a single block. */
  readonly sharedBase: number;
  readonly stride: number;
}

export interface Block {
  readonly grid: Grid;
  readonly cluster: Cluster;
  readonly rank: number;
  readonly index: Dim3;
  readonly linear: number;
  readonly warps: Warp[];
  readonly threads: Thread[];
  readonly sharedBase: number;
  readonly sharedBytes: number;
  readonly localBase: number;
  readonly localBytes: number;
  readonly barriers: Map<number, Barrier>;
  /** For a tool that counts. */
  readonly clocks: BlockClocks;
  /** Threads that have not exited. */
  live: number;
}

/** The instruction that a thread stopped at or is about to leave. */
export function currentInstruction(thread: Thread): IrInstruction | null {
  return thread.frame.code.instructions[thread.frame.pc - 1] ?? null;
}

/** The source line a thread is at; where its instruction has none, that of the call it is in. */
export function currentLocation(thread: Thread): SourceLocation | null {
  for (let frame: Frame | null = thread.frame; frame !== null; frame = frame.caller) {
    const location = frame.code.instructions[frame.pc - 1]?.location;
    if (location) return location;
  }
  return null;
}

/** Room on the thread's local stack, until the function returns. */
export function allocateLocal(thread: Thread, bytes: number, align: number): number {
  const address = Math.ceil(thread.stackPointer / align) * align;
  if (address + bytes > thread.stackEnd) throw new Fault("stack-overflow", "the thread's local stack is full");
  thread.stackPointer = address + bytes;
  return address;
}

export type Step = (thread: Thread, frame: Frame) => void;

export interface FunctionCode {
  readonly function: IrFunction;
  readonly steps: readonly Step[];
  /** The instruction of each step. */
  readonly instructions: readonly IrInstruction[];
  readonly slotCount: number;
  /** Where the values of parameters and instructions lie in a frame. */
  readonly slots: ReadonlyMap<IrValue, number>;
}

export interface Barrier {
  readonly waiting: Thread[];
  /** Arrivals by warp, `arrive` included. */
  readonly arrivals: Map<Warp, number>;
  /** null: all threads of the block. */
  count: number | null;
}
