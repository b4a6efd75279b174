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
  readonly externals: readonly ExternalIntrinsic[];
}
