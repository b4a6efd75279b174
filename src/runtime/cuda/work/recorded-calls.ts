/**
 * Calls of NVIDIA's libraries on streams that a program captures. What a library puts on the device's stream meanwhile
 * becomes a graph of the device's own, and a node of the program's graph launches it. So a captured call does what it
 * does elsewhere, and the library itself says which of its calls cannot be captured.
 */
import type { DeviceQueue } from "../../../device/device.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import { usedWork } from "../graph/graph-store.ts";
import { captureNode } from "./capture.ts";
import type { StreamState } from "./stream-model.ts";
import { waitForDevice } from "./waiting.ts";

type RecordedCalls = Extract<GraphWork, { readonly kind: "library" }>;

/** Streams whose calls a library of Heddle's records itself, several at a time. */
function recordingStreams(cuda: CudaContext): Set<StreamState> {
  return cuda.extension("streams of recorded calls", () => new Set<StreamState>());
}

export function isRecordingCalls(cuda: CudaContext, stream: StreamState): boolean {
  return recordingStreams(cuda).has(stream);
}

/** Begins to record, or ends it. @returns false: nothing has begun, or the capture has become invalid */
export function recordCalls(cuda: CudaContext, stream: StreamState, isBegin: boolean): boolean {
  const streams = recordingStreams(cuda);
  if (isBegin) {
    if (streams.has(stream) || !beginRecordedCalls(cuda, stream)) return false;
    streams.add(stream);
    return true;
  }
  if (streams.delete(stream)) endRecordedCalls(cuda, stream, "a group");
  return stream.capture?.invalid === false;
}

/**
 * Until `endRecordedCalls`, a library's calls on the stream are recorded. The stream must be captured.
 * @returns false: they cannot be; nothing has begun
 */
export function beginRecordedCalls(cuda: CudaContext, stream: StreamState): boolean {
  const { queue } = cuda.current.device;
  const { capture } = stream;
  if (queue === null || capture === null || capture.invalid || stream.device !== cuda.current.ordinal) return false;
  queue.beginCalls(stream.queueStream, capture.mode);
  return true;
}

/** A call that could not be captured makes the program's capture invalid. @param name of the node's work */
export function endRecordedCalls(cuda: CudaContext, stream: StreamState, name: string): void {
  const { capture } = stream;
  const { queue } = cuda.current.device;
  if (queue === null || capture === null) return;
  const { graph, isValid } = queue.endCalls(stream.queueStream, name);
  if (!isValid) capture.invalid = true;
  if (graph === null) return;
  const work: RecordedCalls = { kind: "library", name, graph, device: cuda.current };
  captureNode(cuda, stream, work);
  keptGraphs(cuda).set(work, queue);
}

export function runRecordedCalls(cuda: CudaContext, { name, graph, device }: RecordedCalls, stream: StreamState): void {
  const started = cuda.options.timeLaunches === true ? performance.now() : 0;
  device.device.queue?.launchGraph(graph, stream.queueStream);
  noteLibraryWork(cuda, device, name, started);
}

const ONE = [1, 1, 1] as const;

/** A library's work counts as a launch. @param started when its call began, if launches are timed */
export function noteLibraryWork(cuda: CudaContext, device: DeviceState, name: string, started: number): void {
  cuda.launchCount++;
  cuda.options.onLaunchStart?.(name);
  const { timeLaunches } = cuda.options;
  if (timeLaunches === true) waitForDevice(cuda, device);
  cuda.options.onLaunch?.({
    kernel: name,
    grid: ONE,
    block: ONE,
    elapsedMs: timeLaunches === true ? performance.now() - started : null,
    reused: false,
  });
}

/** The device's graphs, by the work that launches them. */
function keptGraphs(cuda: CudaContext): Map<RecordedCalls, DeviceQueue> {
  return cuda.extension("recorded calls", () => new Map<RecordedCalls, DeviceQueue>());
}

/**
 * After a graph or an executable graph is gone: the device's graphs that no launch will use again are destroyed. NCCL
 * waits for that when a communicator is destroyed.
 */
export function releaseUnusedCalls(cuda: CudaContext): void {
  const all = keptGraphs(cuda);
  if (all.size === 0) return;
  const used = usedWork(cuda);
  for (const [work, queue] of all) {
    if (used.has(work)) continue;
    all.delete(work);
    queue.releaseCalls(work.graph);
  }
}
