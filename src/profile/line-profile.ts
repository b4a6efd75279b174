/** What the profiler says of a source line, as plain data. */
import type { MemorySpace } from "../machine/warp-counts.ts";
import type { AccessOperation } from "./counted-accesses.ts";

/** By NVIDIA's metric name. */
export type Metrics = Readonly<Record<string, number>>;

/** The counters of one source line. */
export interface LineProfile {
  readonly file: string;
  readonly line: number;
  /** The function that the line belongs to, mangled; null: not known. */
  readonly function: string | null;
  readonly metrics: Metrics;
  readonly accesses: readonly AccessProfile[];
  /** Where the line was inlined in several places, or instantiated several times: each of them. Otherwise empty. */
  readonly calls: readonly CallProfile[];
}

/** What a line does where it was inlined into one place. */
export interface CallProfile {
  /** The function that the line belongs to, mangled; null: not known. */
  readonly function: string | null;
  /** The call, then the call of the function that it is in, and so on. */
  readonly from: readonly { readonly file: string; readonly line: number }[];
  readonly metrics: Metrics;
}

/** One access to memory in the source. */
export interface AccessProfile {
  readonly operation: AccessOperation;
  readonly space: MemorySpace;
  /** Of one thread. */
  readonly bytes: number;
  readonly column: number;
  readonly requests: number;
  readonly threads: number;
  /** Sectors of global and local memory, wavefronts of shared memory, different addresses of constants. */
  readonly transactions: number;
  /** What as many threads would need if what they access lay side by side. */
  readonly ideal: number;
  /** Of atomics: different addresses, request by request; lanes that share one take turns. Otherwise 0. */
  readonly distinct: number;
  /** The request with the most transactions, as an example. null: accesses to local memory have none. */
  readonly sample: AccessSample | null;
}

/** What the lanes of one request access. */
export interface AccessSample {
  readonly transactions: number;
  /** Bit mask of the lanes that take part. */
  readonly lanes: number;
  /**
   * Of each of the 32 lanes; 0 where a lane takes no part. Counted from the beginning of the lowest sector that a lane
   * touches; in shared memory from the lowest row of the 32 banks, so that a quarter modulo 32 is the bank.
   */
  readonly addresses: readonly number[];
}
