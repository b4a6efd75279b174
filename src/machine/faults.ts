/** What a launch can die of. The CUDA error a program sees follows from `kind` (runtime/errors). */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";

export type FaultKind =
  | "illegal-address" // cudaErrorIllegalAddress 700
  | "misaligned-address" // cudaErrorMisalignedAddress 716
  | "illegal-instruction" // cudaErrorIllegalInstruction 715 (unreachable code, bad barrier)
  | "assert" // cudaErrorAssert 710
  | "trap" // __trap(): cudaErrorLaunchFailure 719
  | "stack-overflow" // cudaErrorLaunchFailure 719 (recursion past the stack limit)
  | "deadlock" // nothing can go on
  | "timeout"; // cudaErrorLaunchTimeout 702

/** One group of threads that wait at the same place, for deadlock reports. */
export interface WaitingThreads {
  readonly block: Dim3;
  /** An example thread and how many wait like it. */
  readonly thread: Dim3;
  readonly count: number;
  readonly what: "barrier" | "warp-sync" | "products" | "memory" | "cluster-sync" | "grid-sync";
  readonly location: SourceLocation | null;
  /** warp-sync: the lanes that the mask names. */
  readonly mask?: number;
}

/** What a failed `assert` says of itself. */
export interface FailedAssertion {
  readonly expression: string;
  readonly file: string;
  readonly line: number;
  readonly functionName: string;
}

export interface DeviceFault {
  readonly kind: FaultKind;
  readonly kernel: string;
  /** null where the device does not tell which: a GPU. */
  readonly block: Dim3 | null;
  readonly thread: Dim3 | null;
  readonly location: SourceLocation | null;
  /** One sentence without the place. */
  readonly message: string;
  /** For failed assertions; a GPU's driver prints its own line. */
  readonly assertion?: FailedAssertion;
  /** For address faults. */
  readonly access?: { readonly address: number; readonly bytes: number; readonly kind: "load" | "store" | "atomic" };
  readonly waiting?: readonly WaitingThreads[];
  /** Further lines for the report: what else is known, and how more can be found out. */
  readonly notes?: readonly string[];
}
