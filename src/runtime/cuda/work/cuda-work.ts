/** Does the work of one graph node or stream submission: now, or on a stream of the device's queue. */
import { unreachable } from "../../../base/diagnostics.ts";
import { captureNode } from "./capture.ts";
import { runCopy, runFill } from "./copy.ts";
import type { CudaContext } from "../context.ts";
import { enterGraphMemory } from "../graph/graph-memory.ts";
import type { GraphStep, GraphWork } from "../graph/graph-model.ts";
import { inOrder } from "../graph/graph-store.ts";
import { runCall } from "./launch.ts";
import { runRecordedCalls } from "./recorded-calls.ts";
import { freeDeviceMemory } from "../allocations/allocation.ts";
import { EVENT_DISABLE_TIMING, type EventState, type StreamState } from "./stream-model.ts";
import { waitForStream } from "./waiting.ts";

export function runWork(cuda: CudaContext, work: GraphWork, stream: StreamState): void {
  if (work.kind === "graph") return runUnobserved(cuda, work, stream);
  cuda.observer?.beginWork(work, stream);
  if (cuda.tracer === null) runUnobserved(cuda, work, stream);
  else cuda.tracer.around(work, stream, () => runUnobserved(cuda, work, stream));
  cuda.observer?.endWork(work, stream);
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
      return runSteps(
        cuda,
        inOrder(work.graph).map((node) => ({
          key: node,
          node: node.handle,
          before: [...node.dependencies],
          work: node.work,
        })),
        stream,
      );
    case "event-record": {
      const event = cuda.events.get(work.event);
      if (event !== undefined) recordNow(cuda, event, stream);
      return undefined;
    }
    case "free":
      return freeDeviceMemory(cuda, work.pointer);
    case "alloc":
      return work.isLent === true ? undefined : enterGraphMemory(cuda, work.pointer);
    case "event-wait": {
      const event = cuda.events.get(work.event);
      if (event !== undefined) waitOnStream(cuda, event, stream);
      return undefined;
    }
    case "library":
      return runRecordedCalls(cuda, work, stream);
    case "empty":
      return undefined;
    default:
      return unreachable(work, "graph work");
  }
}

/** A step of a graph, and the keys of those that come before it. `work`: null: it does nothing. */
interface Branching {
  readonly key: object;
  /** The handle of its node. */
  readonly node: number;
  readonly before: readonly object[];
  readonly work: GraphWork | null;
}

/** One after the other. An observer learns their order. */
function runSteps(cuda: CudaContext, steps: readonly Branching[], stream: StreamState): void {
  const { observer } = cuda;
  try {
    for (const { key, node, before, work } of steps) {
      const branch = observer?.branch(key, before, stream) ?? stream;
      if (work === null) continue;
      cuda.tracer?.enterNode(node);
      runWork(cuda, work, branch);
    }
  } finally {
    cuda.tracer?.enterNode(0);
  }
  observer?.join(
    steps.map(({ key }) => key),
    stream,
  );
}

/** The steps of an executable graph: they run, or are recorded when the stream is capturing. */
export function launchSteps(cuda: CudaContext, steps: readonly GraphStep[], stream: StreamState): void {
  if (stream.capture !== null) {
    for (const { enabled, work } of steps) if (enabled) captureNode(cuda, stream, work);
    return;
  }
  const byNode = new Map(steps.map((step) => [step.node, step]));
  runSteps(
    cuda,
    steps.map((step) => ({
      key: step,
      node: step.node,
      before: step.dependencies.flatMap((node) => byNode.get(node) ?? []),
      work: step.enabled ? step.work : null,
    })),
    stream,
  );
}

/** Records the stream's position. */
export function recordNow(cuda: CudaContext, event: EventState, stream: StreamState): void {
  const { queue } = cuda.deviceAt(event.device).device;
  if (queue !== null)
    queue.record(
      (event.queueEvent ??= queue.createEvent({ timed: (event.flags & EVENT_DISABLE_TIMING) === 0 })),
      stream.queueStream,
    );
  event.recordedMs = performance.now();
}

/** Later work on the stream waits for the event. */
export function waitOnStream(cuda: CudaContext, event: EventState, stream: StreamState): void {
  if (event.queueEvent !== null)
    cuda.deviceAt(event.device).device.queue?.waitFor(event.queueEvent, stream.queueStream);
}
