/** Does the work of one graph node or stream submission: now, or on a stream of the device's queue. */
import { unreachable } from "../base/diagnostics.ts";
import { runCopy, runFill } from "./cuda-copy.ts";
import type { CudaContext } from "./cuda-context.ts";
import { enterGraphMemory } from "./cuda-graph-memory.ts";
import type { GraphWork } from "./cuda-graph-model.ts";
import { inOrder } from "./cuda-graph-store.ts";
import { runCall } from "./cuda-launch.ts";
import { freeDeviceMemory } from "./cuda-allocation.ts";
import { EVENT_DISABLE_TIMING, type EventState, type StreamState } from "./cuda-stream-model.ts";
import { waitForStream } from "./cuda-waiting.ts";

export function runWork(cuda: CudaContext, work: GraphWork, stream: StreamState): void {
  if (cuda.observer === null || work.kind === "graph") return runUnobserved(cuda, work, stream);
  cuda.observer.beginWork(work, stream);
  runUnobserved(cuda, work, stream);
  cuda.observer.endWork(work, stream);
}

function runUnobserved(cuda: CudaContext, work: GraphWork, stream: StreamState): void {
  switch (work.kind) {
    case "kernel":
      return runCall(cuda, work.call, stream.queueStream);
    case "memcpy":
      return runCopy(cuda, work.copy, stream.queueStream);
    case "memset":
      return runFill(cuda, work.fill, stream.queueStream);
    case "host":
      waitForStream(cuda, cuda.current, stream);
      cuda.options.streams.flush();
      cuda.host.call(work.functionPointer, work.userData);
      return undefined;
    case "graph":
      for (const node of inOrder(work.graph)) runWork(cuda, node.work, stream);
      return undefined;
    case "event-record": {
      const event = cuda.events.get(work.event);
      if (event !== undefined) recordNow(cuda, event, stream);
      return undefined;
    }
    case "free":
      return freeDeviceMemory(cuda, work.pointer);
    case "alloc":
      return enterGraphMemory(cuda, work.pointer);
    case "event-wait": {
      const event = cuda.events.get(work.event);
      if (event !== undefined) waitOnStream(cuda, event, stream);
      return undefined;
    }
    case "empty":
      return undefined;
    default:
      return unreachable(work, "graph work");
  }
}

/** Marks what the stream has come to. */
export function recordNow(cuda: CudaContext, event: EventState, stream: StreamState): void {
  const { queue } = cuda.deviceAt(event.device).device;
  if (queue !== null) queue.record((event.queueEvent ??= queue.createEvent({ timed: (event.flags & EVENT_DISABLE_TIMING) === 0 })), stream.queueStream);
  event.recordedMs = performance.now();
}

/** What is put on the stream from now on waits for the event. */
export function waitOnStream(cuda: CudaContext, event: EventState, stream: StreamState): void {
  if (event.queueEvent !== null) cuda.deviceAt(event.device).device.queue?.waitFor(event.queueEvent, stream.queueStream);
}
