/**
 * What compiling a kernel in the thread tier leaves for its runner: plain data, so that it may cross threads as JSON.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { AddressType, ExternalIntrinsic } from "../emit/environment.ts";
import type { Site, WaitOperation } from "../schedule/task.ts";

/** The key of the tier's runner among BLOCK_RUNNERS. */
export const THREAD_BACKEND = "thread";

export interface ThreadTierMetadata {
  readonly kernel: string;
  readonly sites: readonly Site[];
  /** Where loops are, by their marks (emit/loop-marks.ts). */
  readonly loops: readonly (SourceLocation | null)[];
  readonly operations: readonly WaitOperation[];
  readonly externals: readonly ExternalIntrinsic[];
  /** Bytes of frames and of local variables that a thread can need; -1 where recursion leaves that open. */
  readonly stackBytes: number;
  readonly localBytes: number;
  readonly staticSharedBytes: number;
  /** Of the program's pointers. */
  readonly addressType: AddressType;
}
