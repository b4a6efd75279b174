/** What a compiled warp module's runner needs to know of it: plain data that crosses threads. */
import type { Dim3 } from "../../base/dim3.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { ExternalIntrinsic } from "../emit/environment.ts";

/** A place in the kernel that can fault. */
export interface Site {
  readonly location: SourceLocation | null;
  readonly access: "load" | "store" | "atomic" | null;
  readonly bytes: number;
  readonly align: number;
}

/** Records of counters (machine/warp-counts.ts), one after the other. */
export interface CountedRecords {
  readonly address: number;
  readonly bytes: number;
  /** Where records of accesses begin, counted from `address`: they have samples (machine/lane-sample.ts). */
  readonly accesses: readonly number[];
  /** The same of barriers, which have a counter that is no sum (machine/barrier-skew.ts). */
  readonly barriers: readonly number[];
}

/** A place where a warp waits, apart from the other warps of its block. */
export interface WaitPlace {
  /** memory: a test of an mbarrier. */
  readonly what: "barrier" | "memory" | "products" | "cluster-sync";
  readonly location: SourceLocation | null;
}

export const WARP_BACKEND = "warp";

export interface WarpMetadata {
  readonly kernel: string;
  readonly block: Dim3;
  readonly warps: number;
  readonly contextBytes: number;
  readonly scratchBytes: number;
  readonly barrierBytes: number;
  readonly localBytesPerThread: number;
  readonly staticSharedBytes: number;
  readonly sites: readonly Site[];
  /** Where loops are, by their marks (emit/loop-marks.ts). */
  readonly loops: readonly (SourceLocation | null)[];
  /** The counters that the kernel adds to: where the tool has them. null: it counts nothing. */
  readonly counts: CountedRecords | null;
  readonly externals: readonly ExternalIntrinsic[];
  /** By resume index, from 1. Null where warps meet at barriers of the whole block only. */
  readonly waits: readonly WaitPlace[] | null;
}
