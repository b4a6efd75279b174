/**
 * The recording of one block, as plain data: it can be sent to another thread, or kept. It has where each step was and
 * who took part; values and accesses come from running the block again from a snapshot (replay.ts).
 */
import type { Dim3 } from "../base/dim3.ts";
import type { DebugGlobal, DebugVariable } from "../ir/text/debug-variables.ts";
import type { KernelParam } from "../machine/launch.ts";
import type { Page } from "./recorded-memory.ts";
import type { Snapshot } from "./snapshots.ts";
import type { SourceLine } from "./source-lines.ts";
import type { BlockEnd, StepRecord } from "./stepper.ts";

/** How much is recorded. */
export interface RecordingLimits {
  readonly steps: number;
  readonly milliseconds: number;
  /** Of snapshots. Where they need more, every second one is left out, again and again. */
  readonly snapshotBytes: number;
}

export const DEFAULT_LIMITS: RecordingLimits = {
  steps: 2_000_000,
  milliseconds: 15_000,
  snapshotBytes: 96 * 1024 * 1024,
};

/** The steps of a recording, one after another. */
export interface StepColumns {
  readonly warps: Uint8Array;
  readonly lines: Int32Array;
  readonly masks: Uint32Array;
  readonly flags: Uint8Array;
  readonly depths: Uint8Array;
}

/** An array of the program. */
export interface RecordedAllocation {
  readonly start: number;
  readonly bytes: number;
}

export interface RecordedProgram {
  /** Linked, as text. */
  readonly ir: string;
  readonly globalAddresses: readonly (readonly [string, number])[];
  /** In the order of their numbers. */
  readonly functionNames: readonly string[];
  /** Of the kernel: the text does not say which pointers take 8 bytes. */
  readonly params: readonly KernelParam[];
  readonly fmad: boolean;
}

export interface RecordedLaunch {
  /** Mangled. */
  readonly kernel: string;
  /** Counts the launches of the program from 1. */
  readonly ordinal: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** The block that was recorded. */
  readonly blockIndex: Dim3;
  readonly dynamicSharedBytes: number;
  readonly cooperative: boolean;
  readonly params: Uint8Array;
  readonly memoryTop: number;
}

export interface BlockRecording {
  /** Of this form; it is 1. */
  readonly version: 1;
  readonly launch: RecordedLaunch;
  readonly program: RecordedProgram;
  readonly variables: readonly (readonly [string, readonly DebugVariable[]])[];
  readonly globals: readonly (readonly [string, DebugGlobal])[];
  readonly lines: readonly SourceLine[];
  readonly steps: StepColumns;
  readonly stepCount: number;
  /** Instructions that warps executed, and the sum over their lanes. */
  readonly instructions: number;
  readonly laneInstructions: number;
  readonly end: BlockEnd | { readonly how: "limit"; readonly what: "steps" | "time" };
  readonly snapshots: readonly Snapshot[];
  /** What the block touched, as it was before. */
  readonly pages: readonly Page[];
  readonly allocations: readonly RecordedAllocation[];
  /** What the block printed. */
  readonly printed: string;
  readonly recordedMs: number;
}

/** Columns that grow. */
export class StepList {
  count = 0;
  #columns: StepColumns = columnsOf(1024);

  push({ warp, line, mask, flags, depth }: StepRecord): void {
    const at = this.count++;
    if (at === this.#columns.warps.length) this.#columns = this.#resized(at * 2, at);
    const { warps, lines, masks, flags: allFlags, depths } = this.#columns;
    warps[at] = warp;
    lines[at] = line;
    masks[at] = mask;
    allFlags[at] = flags;
    depths[at] = depth;
  }

  columns(): StepColumns {
    return this.#resized(this.count, this.count);
  }

  #resized(capacity: number, used: number): StepColumns {
    const to = columnsOf(capacity);
    for (const name of ["warps", "lines", "masks", "flags", "depths"] as const)
      to[name].set(this.#columns[name].subarray(0, used));
    return to;
  }
}

function columnsOf(capacity: number): StepColumns {
  return {
    warps: new Uint8Array(capacity),
    lines: new Int32Array(capacity),
    masks: new Uint32Array(capacity),
    flags: new Uint8Array(capacity),
    depths: new Uint8Array(capacity),
  };
}
