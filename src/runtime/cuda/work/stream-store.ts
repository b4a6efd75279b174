/** Streams by handle. */
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { DEFAULT_STREAM, LEGACY_STREAM, PER_THREAD_STREAM } from "./stream-model.ts";
import type { BuiltInStreams, StreamState } from "./stream-model.ts";

function builtIn(cuda: CudaContext): BuiltInStreams {
  return (cuda.builtInStreams ??= {
    legacy: builtInStream(DEFAULT_STREAM, 0),
    ofThreads: new Map(),
    isDefaultPerThread: false,
  });
}

function builtInStream(handle: number, device: number): StreamState {
  return { handle, device, flags: 0, priority: 0, queueStream: 0, capture: null, frontier: [] };
}

function perThreadStream(cuda: CudaContext, { ofThreads }: BuiltInStreams): StreamState {
  const { ordinal } = cuda.current;
  const key = `${cuda.thread} ${ordinal}`;
  let stream = ofThreads.get(key);
  if (stream === undefined) ofThreads.set(key, (stream = builtInStream(PER_THREAD_STREAM, ordinal)));
  return stream;
}

/**
 * The program was compiled with `--default-stream per-thread`: from now on stream 0 is cudaStreamPerThread. With NVIDIA
 * each of a program's files has its own answer; here one that asks for it answers for all.
 */
export function makeDefaultPerThread(cuda: CudaContext): void {
  builtIn(cuda).isDefaultPerThread = true;
}

const isBuiltIn = (handle: number): boolean =>
  handle === DEFAULT_STREAM || handle === LEGACY_STREAM || handle === PER_THREAD_STREAM;

/** Whether a handle stands for a stream: it has been made and not destroyed, or is built in. */
export function isStream(cuda: CudaContext, handle: number): boolean {
  return isBuiltIn(handle) || cuda.streams.get(handle) !== undefined;
}

/** The stream behind a handle. Throws invalidResourceHandle. */
export function streamState(cuda: CudaContext, handle: number): StreamState {
  if (isBuiltIn(handle)) {
    const streams = builtIn(cuda);
    const isPerThread = handle === DEFAULT_STREAM ? streams.isDefaultPerThread : handle === PER_THREAD_STREAM;
    return isPerThread ? perThreadStream(cuda, streams) : streams.legacy;
  }
  return (
    cuda.streams.get(handle) ??
    fail(CudaErrorCode.invalidResourceHandle, "the stream does not exist, or is destroyed", {
      kind: "destroyed-handle",
      what: "stream",
      handle,
    })
  );
}

/**
 * Whose events a stream takes: those of its device, which need not be the one that the work is of (a copy to a peer).
 * @param state the device of the work; each has the built-in streams
 */
export function queueDevice(cuda: CudaContext, { device, queueStream }: StreamState, state: DeviceState): DeviceState {
  return queueStream === 0 ? state : cuda.deviceAt(device);
}
