/** Streams and events as the runtime keeps them. Work runs at the call, so a stream's only state is what it captures. */
import type { CaptureState, CapturingStream } from "./cuda-graph-model.ts";

export interface StreamState extends CapturingStream {
  readonly handle: number;
  readonly device: number;
  readonly flags: number;
  readonly priority: number;
}

export interface EventState {
  readonly handle: number;
  readonly device: number;
  readonly flags: number;
  /** Milliseconds on the monotonic clock when it was recorded, or null. */
  recordedMs: number | null;
  /** Set when it was recorded in a capturing stream. */
  captured: { readonly capture: CaptureState; readonly frontier: readonly number[] } | null;
}

/** The built-in handles: the default stream, cudaStreamLegacy and cudaStreamPerThread. */
export const DEFAULT_STREAM = 0;
export const LEGACY_STREAM = 1;
export const PER_THREAD_STREAM = 2;
