/**
 * Streams and events in the runtime. On a device without a queue work runs at the call, and a stream's only state is
 * its capture.
 */
import type { EventId, StreamId } from "../../../device/device.ts";
import type { CaptureState, CapturingStream } from "../graph/graph-model.ts";

export interface StreamState extends CapturingStream {
  readonly handle: number;
  readonly priority: number;
  /** The stream of the device's queue; 0, the default one, also where there is no queue. */
  readonly queueStream: StreamId;
}

/** Streams that exist without being made. */
export interface BuiltInStreams {
  readonly legacy: StreamState;
  /** By host thread and device. */
  readonly ofThreads: Map<string, StreamState>;
  /** What stream 0 is. */
  isDefaultPerThread: boolean;
}

export interface EventState {
  readonly handle: number;
  readonly device: number;
  readonly flags: number;
  /** The event of the device's queue, made when it is first recorded; null where there is none. */
  queueEvent: EventId | null;
  /** Milliseconds on the monotonic clock when it was recorded, or null. */
  recordedMs: number | null;
  /** Set when it was recorded in a capturing stream. */
  captured: { readonly capture: CaptureState; readonly frontier: readonly number[] } | null;
}

/** The built-in handles: the default stream, cudaStreamLegacy and cudaStreamPerThread. */
export const DEFAULT_STREAM = 0;
export const LEGACY_STREAM = 1;
export const PER_THREAD_STREAM = 2;
/** cudaEventDisableTiming */
export const EVENT_DISABLE_TIMING = 2;
/** cudaStreamNonBlocking */
export const STREAM_NON_BLOCKING = 1;
