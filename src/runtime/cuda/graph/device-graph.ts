/**
 * Executable graphs on a device with a queue: their steps are recorded once in a graph of the device, which one call
 * launches. A graph runs step by step if the host must take part: for functions of the program, copies of its memory,
 * mirrored memory.
 */
import { HeddleError } from "../../../base/diagnostics.ts";
import type { DeviceQueue, GraphId } from "../../../device/device.ts";
import { checkCopy, checkFill } from "../work/copy.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import type { GraphExecState, GraphStep, GraphWork } from "./graph-model.ts";
import { requireUsableStream } from "../work/capture-rules.ts";
import { runWork } from "../work/cuda-work.ts";
import { inOrder } from "./graph-store.ts";
import type { StreamState } from "../work/stream-model.ts";

interface RecordedGraph {
  readonly state: DeviceState;
  /** The stream that it was recorded on; a reset of the device destroys both. */
  readonly stream: StreamState | null;
  /** null: its steps run one by one. */
  readonly graph: GraphId | null;
  /** The steps that were recorded; a later change of a step makes the recording stale. */
  readonly steps: readonly Pick<GraphStep, "work" | "enabled">[];
  readonly launches: number;
  /** MirroredMemory.isMapped when it was recorded: kernels may touch what has become mirrored since. */
  readonly isMapped: boolean;
}

const recordings: WeakMap<GraphExecState, RecordedGraph> = new WeakMap();

/** Launches the graph by one call. False: it must run step by step. Throws if the stream cannot be used now. */
export function launchRecorded(cuda: CudaContext, exec: GraphExecState, stream: StreamState): boolean {
  requireUsableStream(cuda, stream);
  const state = cuda.current;
  const { queue } = state.device;
  if (queue === null || state.fault !== null || cuda.options.timeLaunches === true || stream.capture !== null)
    return false;
  // Each step is timed by events, and an event that is recorded becomes part of the graph.
  if (cuda.tracer !== null || cuda.observer !== null) return false;
  let recorded = recordings.get(exec);
  if (recorded === undefined || !isCurrent(cuda, recorded, exec, state)) {
    forgetRecorded(exec);
    recorded = record(cuda, queue, state, exec);
    recordings.set(exec, recorded);
  }
  if (recorded.graph === null) return false;
  cuda.launchCount += recorded.launches;
  queue.launchGraph(recorded.graph, stream.queueStream);
  return true;
}

/** The executable graph is gone, or has changed. */
export function forgetRecorded(exec: GraphExecState): void {
  const recorded = recordings.get(exec);
  recordings.delete(exec);
  if (
    recorded !== undefined &&
    recorded.graph !== null &&
    recorded.state.fault === null &&
    recorded.stream === recordingStreams.get(recorded.state)
  )
    recorded.state.device.queue?.destroyGraph(recorded.graph);
}

function isCurrent(cuda: CudaContext, recorded: RecordedGraph, exec: GraphExecState, state: DeviceState): boolean {
  return (
    recorded.state === state &&
    recorded.isMapped === cuda.mirrored.isMapped &&
    (recorded.stream === null || recorded.stream === recordingStreams.get(state)) &&
    recorded.steps.length === exec.steps.length &&
    exec.steps.every((step, i) => step.work === recorded.steps[i]?.work && step.enabled === recorded.steps[i]?.enabled)
  );
}

function record(cuda: CudaContext, queue: DeviceQueue, state: DeviceState, exec: GraphExecState): RecordedGraph {
  const steps = exec.steps.map(({ work, enabled }) => ({ work, enabled }));
  const stepwise = (): RecordedGraph => {
    const { isMapped } = cuda.mirrored;
    return { state, stream: null, graph: null, steps, launches: 0, isMapped };
  };
  const works = steps.filter(({ enabled }) => enabled).map(({ work }) => work);
  if (!works.every((work) => isRecordable(cuda, work, state))) return stepwise();
  const stream = recordingStream(queue, state);
  const before = cuda.launchCount;
  queue.beginCapture(stream.queueStream);
  try {
    for (const work of works) runWork(cuda, work, stream);
  } catch (error) {
    queue.dropCapture(stream.queueStream);
    if (error instanceof HeddleError) return stepwise();
    throw error;
  }
  const graph = queue.endCapture(stream.queueStream);
  const launches = cuda.launchCount - before;
  cuda.launchCount = before;
  return { state, stream, graph, steps, launches, isMapped: cuda.mirrored.isMapped };
}

function isRecordable(cuda: CudaContext, work: GraphWork, state: DeviceState): boolean {
  switch (work.kind) {
    case "kernel": {
      const { device, kernel, params } = work.call;
      cuda.mirrored.translateParameters(kernel.params, params);
      return device === state && cuda.mirrored.usedBy(state, kernel, params).length === 0;
    }
    case "memcpy": {
      const places = checkCopy(cuda, work.copy);
      return (
        places === null ||
        (places.to.side === "device" &&
          places.from.side === "device" &&
          places.to.state === state &&
          places.from.state === state)
      );
    }
    case "memset": {
      const place = checkFill(cuda, work.fill);
      return place === null || (place.side === "device" && place.state === state);
    }
    case "graph":
      return inOrder(work.graph).every((node) => isRecordable(cuda, node.work, state));
    case "alloc":
      return work.isLent === true;
    case "library":
      return work.device === state;
    default:
      return work.kind === "empty";
  }
}

/** The stream that graphs of a device are recorded on. */
const recordingStreams = new WeakMap<DeviceState, StreamState>();

/**
 * A stream of its own, apart from the default stream: copies that happen during the recording are no part of the graph.
 */
function recordingStream(queue: DeviceQueue, state: DeviceState): StreamState {
  let stream = recordingStreams.get(state);
  if (stream === undefined) {
    const queueStream = queue.createStream({ nonBlocking: true });
    stream = { handle: 0, device: state.ordinal, flags: 0, priority: 0, queueStream, capture: null, frontier: [] };
    recordingStreams.set(state, stream);
  }
  return stream;
}

/** The device was reset, and its streams with it. */
export function forgetRecordingStream(state: DeviceState): void {
  recordingStreams.delete(state);
}
