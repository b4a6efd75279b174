/**
 * Streams and events. On a device without a queue work runs when it is submitted, so streams are always idle and an
 * event is complete when it is recorded; otherwise both are the queue's. In a capture, work becomes nodes of a graph
 * instead (runtime API reference, "Stream Management", "Event Management").
 */
import type { ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import { captureApi, captureNode } from "../work/capture.ts";
import { requireNotCapturing, requireSafeCall, requireUsableStream } from "../work/capture-rules.ts";
import { recordNow, runWork, waitOnStream } from "../work/cuda-work.ts";
import { EVENT_DISABLE_TIMING, PER_THREAD_STREAM, STREAM_NON_BLOCKING } from "../work/stream-model.ts";
import { makeDefaultPerThread, streamState } from "../work/stream-store.ts";
import type { EventState, StreamState } from "../work/stream-model.ts";
import { waitForEvent, waitForStream } from "../work/waiting.ts";

const EVENT_FLAGS = 7;
export const GREATEST_PRIORITY = -5;

/** Puts work on a stream: it runs, or is recorded when the stream is capturing. */
export function submit(cuda: CudaContext, streamHandle: number, work: GraphWork): void {
  const stream = streamState(cuda, streamHandle);
  requireUsableStream(cuda, stream);
  if (stream.capture !== null) captureNode(cuda, stream, work);
  else runWork(cuda, work, stream);
}

function createStream(cuda: CudaContext, out: number, flags: number, priority: number): void {
  if (out === 0 || (flags & ~STREAM_NON_BLOCKING) !== 0) fail(CudaErrorCode.invalidValue);
  const used = Math.max(GREATEST_PRIORITY, Math.min(0, priority));
  const queueStream =
    cuda.current.device.queue?.createStream({ nonBlocking: (flags & STREAM_NON_BLOCKING) !== 0, priority: used }) ?? 0;
  const stream = {
    handle: 0,
    device: cuda.current.ordinal,
    flags,
    priority: used,
    queueStream,
    capture: null,
    frontier: [],
  };
  stream.handle = cuda.streams.add(stream);
  cuda.memory.setPointer(out, stream.handle);
}

export function eventState(cuda: CudaContext, handle: number): EventState {
  return (
    cuda.events.get(handle) ??
    fail(CudaErrorCode.invalidResourceHandle, "the event does not exist, or is destroyed", {
      kind: "destroyed-handle",
      what: "event",
      handle,
    })
  );
}

function createEvent(cuda: CudaContext, out: number, flags: number): void {
  if (out === 0 || (flags & ~EVENT_FLAGS) !== 0) fail(CudaErrorCode.invalidValue);
  const event = { handle: 0, device: cuda.current.ordinal, flags, queueEvent: null, recordedMs: null, captured: null };
  event.handle = cuda.events.add(event);
  cuda.memory.setPointer(out, event.handle);
}

function recordEvent(cuda: CudaContext, handle: number, streamHandle: number): void {
  const event = eventState(cuda, handle);
  const stream = streamState(cuda, streamHandle);
  requireUsableStream(cuda, stream);
  if (stream.capture?.invalid === true) fail(CudaErrorCode.streamCaptureInvalidated);
  if (stream.capture !== null) {
    event.captured = { capture: stream.capture, frontier: [...stream.frontier] };
    return;
  }
  event.captured = null;
  recordNow(cuda, event, stream);
}

/** The host waits for an event, or asks whether it is complete. */
function requireUncaptured(cuda: CudaContext, { captured }: EventState): void {
  if (captured === null) return requireSafeCall(cuda, "cudaEventQuery");
  captured.capture.invalid = true;
  fail(CudaErrorCode.capturedEvent, "the event was recorded in a capture", { kind: "in-capture" });
}

/** The built-in streams are those of the current device. */
function deviceOf(cuda: CudaContext, stream: StreamState): DeviceState {
  return stream.handle > PER_THREAD_STREAM ? cuda.deviceAt(stream.device) : cuda.current;
}

/** Result of a query: success if all work is done, else cudaErrorNotReady. */
function requireDone(cuda: CudaContext, state: DeviceState, isDone: boolean, wait: () => void): number | void {
  if (!isDone) return CudaErrorCode.notReady;
  if (state.device.queue !== null) wait(); // prints what kernels have printed
}

export const streamApi: ApiGroup = {
  name: "Streams and events",
  checked: {
    cudaStreamCreate: (cuda, out: number) => createStream(cuda, out, 0, 0),
    cudaStreamCreateWithFlags: (cuda, out: number, flags: number) => createStream(cuda, out, flags, 0),
    cudaStreamCreateWithPriority: (cuda, out: number, flags: number, priority: number) =>
      createStream(cuda, out, flags, priority),
    cudaStreamDestroy(cuda, handle: number) {
      // A stream that joined a capture may be destroyed; its nodes stay. Without the first stream the capture cannot
      // end.
      const capture = cuda.streams.get(handle)?.capture;
      const stream = cuda.streams.get(handle);
      if (stream === undefined || !cuda.streams.delete(handle))
        return fail(CudaErrorCode.invalidResourceHandle, undefined, {
          kind: "destroyed-handle",
          what: "stream",
          handle,
        });
      if (stream.queueStream !== 0) deviceOf(cuda, stream).device.queue?.destroyStream(stream.queueStream);
      if (capture?.origin !== handle) return;
      capture.invalid = true;
      cuda.captures.delete(capture);
    },
    cudaStreamSynchronize(cuda, handle: number) {
      const stream = streamState(cuda, handle);
      requireNotCapturing(cuda, stream);
      waitForStream(cuda, deviceOf(cuda, stream), stream);
    },
    cudaStreamQuery(cuda, handle: number) {
      const stream = streamState(cuda, handle);
      requireNotCapturing(cuda, stream);
      const state = deviceOf(cuda, stream);
      return requireDone(cuda, state, state.device.queue?.isStreamDone(stream.queueStream) ?? true, () =>
        waitForStream(cuda, state, stream),
      );
    },
    cudaStreamWaitEvent(cuda, streamHandle: number, eventHandle: number) {
      const stream = streamState(cuda, streamHandle);
      const event = eventState(cuda, eventHandle);
      const { captured } = event;
      requireUsableStream(cuda, stream);
      if (captured !== null && !captured.capture.invalid) {
        if (stream.capture !== null && stream.capture !== captured.capture) {
          stream.capture.invalid = captured.capture.invalid = true;
          fail(CudaErrorCode.streamCaptureMerge);
        }
        // A stream that waits for captured work joins the capture.
        if (stream.capture === null) stream.frontier = [];
        stream.capture = captured.capture;
        captured.capture.streams.add(stream);
        stream.frontier = [...new Set([...stream.frontier, ...captured.frontier])];
      } else if (stream.capture !== null && eventState(cuda, eventHandle).recordedMs !== null) {
        stream.capture.invalid = true;
        fail(CudaErrorCode.streamCaptureIsolation);
      } else waitOnStream(cuda, event, stream);
    },
    cudaStreamAddCallback(cuda, streamHandle: number, callback: number, userData: number) {
      const stream = streamState(cuda, streamHandle);
      requireNotCapturing(cuda, stream);
      waitForStream(cuda, deviceOf(cuda, stream), stream);
      cuda.options.streams.flush();
      cuda.host.call(callback, streamHandle, { int: cuda.current.fault?.code ?? 0 }, userData);
    },
    cudaLaunchHostFunc: (cuda, stream: number, functionPointer: number, userData: number) =>
      submit(cuda, stream, { kind: "host", functionPointer, userData }),
    cudaStreamGetFlags: (cuda, handle: number, out: number) => cuda.memory.setU32(out, streamState(cuda, handle).flags),
    cudaStreamGetPriority: (cuda, handle: number, out: number) =>
      cuda.memory.setI32(out, streamState(cuda, handle).priority),
    cudaStreamGetId: (cuda, handle: number, out: number) =>
      cuda.memory.setU64(out, BigInt(streamState(cuda, handle).handle)),
    cudaStreamGetDevice: (cuda, handle: number, out: number) =>
      cuda.memory.setI32(out, handle > PER_THREAD_STREAM ? streamState(cuda, handle).device : cuda.current.ordinal),
    cudaStreamAttachMemAsync: (cuda, handle: number) => void streamState(cuda, handle),
    cudaStreamSetAttribute: (cuda, handle: number) => void streamState(cuda, handle),
    cudaStreamGetAttribute(cuda, handle: number, attribute: number, out: number) {
      cuda.memory.slice(out, 64).fill(0);
      if (attribute === 8) cuda.memory.setI32(out, streamState(cuda, handle).priority);
    },
    cudaStreamCopyAttributes: (cuda, to: number, from: number) => void [streamState(cuda, to), streamState(cuda, from)],
    cudaCtxResetPersistingL2Cache: () => undefined,
    cudaDeviceGetStreamPriorityRange(cuda, least: number, greatest: number) {
      if (least !== 0) cuda.memory.setI32(least, 0);
      if (greatest !== 0) cuda.memory.setI32(greatest, GREATEST_PRIORITY);
    },
    cudaEventCreate: (cuda, out: number) => createEvent(cuda, out, 0),
    cudaEventCreateWithFlags: (cuda, out: number, flags: number) => createEvent(cuda, out, flags),
    cudaEventRecord: (cuda, event: number, stream: number) => recordEvent(cuda, event, stream),
    cudaEventRecordWithFlags(cuda, event: number, stream: number, flags: number) {
      if (flags === 1 && streamState(cuda, stream).capture) submit(cuda, stream, { kind: "event-record", event });
      else recordEvent(cuda, event, stream);
    },
    cudaEventSynchronize(cuda, handle: number) {
      const event = eventState(cuda, handle);
      requireUncaptured(cuda, event);
      waitForEvent(cuda, event);
    },
    cudaEventQuery(cuda, handle: number) {
      const event = eventState(cuda, handle);
      requireUncaptured(cuda, event);
      if (event.queueEvent === null) return;
      const state = cuda.deviceAt(event.device);
      return requireDone(cuda, state, state.device.queue?.isEventDone(event.queueEvent) ?? true, () =>
        waitForEvent(cuda, event),
      );
    },
    cudaEventElapsedTime(cuda, out: number, startHandle: number, endHandle: number) {
      const start = eventState(cuda, startHandle);
      const end = eventState(cuda, endHandle);
      if (out === 0) fail(CudaErrorCode.invalidValue);
      if (((start.flags | end.flags) & EVENT_DISABLE_TIMING) !== 0)
        fail(CudaErrorCode.invalidResourceHandle, "an event with cudaEventDisableTiming has no time");
      if (start.recordedMs === null || end.recordedMs === null)
        fail(CudaErrorCode.invalidResourceHandle, "an event was not recorded");
      if (start.queueEvent !== null && end.queueEvent !== null) {
        const { queue } = cuda.deviceAt(end.device).device;
        if (queue === null || start.device !== end.device) return fail(CudaErrorCode.invalidResourceHandle);
        if (!queue.isEventDone(start.queueEvent) || !queue.isEventDone(end.queueEvent)) return CudaErrorCode.notReady;
        cuda.memory.setF32(out, queue.elapsedMs(start.queueEvent, end.queueEvent));
      } else cuda.memory.setF32(out, end.recordedMs - start.recordedMs);
    },
    cudaEventDestroy(cuda, handle: number) {
      const event = eventState(cuda, handle);
      cuda.events.delete(handle);
      if (event.queueEvent !== null) cuda.deviceAt(event.device).device.queue?.destroyEvent(event.queueEvent);
    },
    ...captureApi.checked,
  },
  plain: {
    __heddle_default_stream_per_thread: (cuda) => makeDefaultPerThread(cuda),
  },
  notes: {
    cudaStreamCreate: "work runs when it is submitted; streams do not overlap",
    cudaStreamAddCallback: "the callback runs in the call",
    cudaLaunchHostFunc: "the function runs in the call",
    cudaStreamAttachMemAsync: "no effect",
    cudaStreamSetAttribute: "no effect",
    __heddle_default_stream_per_thread: "behind CUDA_API_PER_THREAD_DEFAULT_STREAM; counts for the whole program",
    ...captureApi.notes,
  },
};
