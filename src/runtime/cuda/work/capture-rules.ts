/**
 * What a capture refuses: calls that it can neither record nor let pass (CUDA programming guide, "Prohibited and
 * Unhandled Operations"; runtime API reference, cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode). A call
 * that is refused makes the captures invalid that it conflicts with.
 */
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import type { CaptureState, CapturingStream } from "../graph/graph-model.ts";
import { DEFAULT_STREAM, LEGACY_STREAM, STREAM_NON_BLOCKING, type StreamState } from "./stream-model.ts";

/** cudaStreamCaptureMode, the first and the last */
const CAPTURE_MODE_GLOBAL = 0;
export const CAPTURE_MODE_RELAXED = 2;

/**
 * Calls that no capture records and that may change what a captured sequence means. Queries of events, which are
 * refused, too, ask for themselves: what the event is decides first.
 */
const UNSAFE: ReadonlySet<string> = new Set([
  "cudaMalloc",
  "cudaMallocPitch",
  "cudaMalloc3D",
  "cudaMallocArray",
  "cudaMalloc3DArray",
  "cudaMallocMipmappedArray",
  "cudaMallocManaged",
  "cudaMallocHost",
  "cudaHostAlloc",
  "cudaHostRegister",
  "cudaHostUnregister",
  "cudaFree",
  "cudaFreeArray",
  "cudaFreeMipmappedArray",
  "cudaFreeHost",
]);
/** Without memory to free they do nothing: programs make a context so. */
const FREES = /^cudaFree/;

export function isUnsafeInCapture(name: string): boolean {
  return UNSAFE.has(name);
}

/** By host thread: what it has asked of cudaThreadExchangeStreamCaptureMode. */
function modes(cuda: CudaContext): Map<number, number> {
  return cuda.extension("capture modes", () => new Map<number, number>());
}

/** @returns the mode that the host thread had before */
export function exchangeCaptureMode(cuda: CudaContext, mode: number): number {
  if (!Number.isInteger(mode) || mode < CAPTURE_MODE_GLOBAL || mode > CAPTURE_MODE_RELAXED)
    fail(CudaErrorCode.invalidValue);
  const all = modes(cuda);
  const before = all.get(cuda.thread) ?? CAPTURE_MODE_GLOBAL;
  all.set(cuda.thread, mode);
  return before;
}

/** A call of UNSAFE, or one like them. @param values of the call */
export function requireSafeCall(cuda: CudaContext, name: string, values: readonly unknown[] = []): void {
  if (cuda.captures.size === 0 || (FREES.test(name) && values[0] === 0)) return;
  const mode = modes(cuda).get(cuda.thread) ?? CAPTURE_MODE_GLOBAL;
  if (mode === CAPTURE_MODE_RELAXED) return;
  refuse(
    [...cuda.captures].filter((capture) =>
      capture.thread === cuda.thread
        ? capture.mode !== CAPTURE_MODE_RELAXED
        : mode === CAPTURE_MODE_GLOBAL && capture.mode === CAPTURE_MODE_GLOBAL,
    ),
    CudaErrorCode.streamCaptureUnsupported,
    "a capture is under way, whose mode lets no such call pass",
  );
}

/** The legacy stream stands for all blocking streams of its device: while one is captured, it cannot be used. */
export function requireUsableStream(cuda: CudaContext, stream: StreamState): void {
  refuse(capturesBehind(cuda, stream), CudaErrorCode.streamCaptureImplicit, LEGACY_IN_USE);
}
/** Without refusing it: whether a capture does. */
export function isUsableStream(cuda: CudaContext, stream: StreamState): boolean {
  return capturesBehind(cuda, stream).length === 0;
}
const NO_CAPTURES: readonly CaptureState[] = [];
function capturesBehind(cuda: CudaContext, { handle }: StreamState): readonly CaptureState[] {
  if (cuda.captures.size === 0 || (handle !== DEFAULT_STREAM && handle !== LEGACY_STREAM)) return NO_CAPTURES;
  return blockingCaptures(cuda, cuda.current);
}
const LEGACY_IN_USE = "the default stream waits for all blocking streams, and one of them is captured";

/** The legacy stream is asked whether it is captured. */
export function requireKnownStatus(cuda: CudaContext, stream: StreamState): void {
  if (!isUsableStream(cuda, stream)) fail(CudaErrorCode.streamCaptureImplicit, LEGACY_IN_USE);
}

/** The host waits for a device, or asks whether it is done. */
export function requireNoCaptureOn(cuda: CudaContext, device: DeviceState): void {
  if (cuda.captures.size === 0) return;
  refuse(
    capturesOf(cuda, (stream) => stream.device === device.ordinal),
    CudaErrorCode.streamCaptureUnsupported,
  );
}

/** The host waits for a stream, or asks whether it is done. */
export function requireNotCapturing(cuda: CudaContext, stream: StreamState): void {
  requireUsableStream(cuda, stream);
  const { capture } = stream;
  if (capture === null) return;
  if (capture.invalid) fail(CudaErrorCode.streamCaptureInvalidated);
  refuse([capture], CudaErrorCode.streamCaptureUnsupported);
}

function blockingCaptures(cuda: CudaContext, { ordinal }: DeviceState): CaptureState[] {
  return capturesOf(cuda, ({ device, flags }) => device === ordinal && (flags & STREAM_NON_BLOCKING) === 0);
}

/** The captures that one such stream records into: a capture may have streams of several devices. */
function capturesOf(cuda: CudaContext, isMeant: (stream: CapturingStream) => boolean): CaptureState[] {
  return [...cuda.captures].filter(({ streams }) => [...streams].some(isMeant));
}

function refuse(captures: readonly CaptureState[], code: number, detail?: string): void {
  if (captures.length === 0) return;
  for (const capture of captures) capture.invalid = true;
  fail(code, detail, { kind: "in-capture" });
}
