/**
 * Stream capture: work submitted to a capturing stream becomes nodes of a graph (CUDA programming guide, "Creating a
 * Graph Using Stream Capture").
 */
import type { ApiGroup } from "../api-functions/api-table.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import type { CaptureState, GraphNode, GraphWork } from "../graph/graph-model.ts";
import { addNode, createGraph, graphState } from "../graph/graph-store.ts";
import { CAPTURE_MODE_RELAXED, exchangeCaptureMode, requireKnownStatus } from "./capture-rules.ts";
import { streamState } from "./stream-store.ts";
import type { StreamState } from "./stream-model.ts";
import { LEGACY_STREAM } from "./stream-model.ts";

const CAPTURE_NONE = 0;
const CAPTURE_ACTIVE = 1;
const CAPTURE_INVALIDATED = 2;

export function captureNode(cuda: CudaContext, stream: StreamState, work: GraphWork): void {
  const { capture } = stream;
  if (capture === null || capture.invalid) fail(CudaErrorCode.streamCaptureInvalidated);
  const dependencies = stream.frontier.map((handle) => findNode(capture, handle));
  const node = addNode(cuda, capture.graph, work, dependencies);
  stream.frontier = [node.handle];
}

function findNode(capture: CaptureState, handle: number): GraphNode {
  return capture.graph.nodes.find((node) => node.handle === handle) ?? fail(CudaErrorCode.streamCaptureInvalidated);
}

function begin(cuda: CudaContext, handle: number, mode: number, graphHandle: number | null): void {
  const stream = streamState(cuda, handle);
  if (stream.handle <= LEGACY_STREAM)
    return fail(CudaErrorCode.streamCaptureUnsupported, "the default stream cannot be captured");
  if (mode < 0 || mode > CAPTURE_MODE_RELAXED) fail(CudaErrorCode.invalidValue);
  if (stream.capture !== null) fail(CudaErrorCode.illegalState);
  const id = cuda.extension("capture ids", () => ({ next: 1 }));
  const graph = graphHandle === null ? { nodes: [] } : graphState(cuda, graphHandle);
  stream.capture = {
    id: id.next++,
    graph,
    graphHandle,
    origin: stream.handle,
    mode,
    thread: cuda.thread,
    streams: new Set([stream]),
    invalid: false,
  };
  stream.frontier = [];
  cuda.captures.add(stream.capture);
}

function end(cuda: CudaContext, handle: number, out: number): void {
  const stream = streamState(cuda, handle);
  const { capture } = stream;
  if (!capture) return fail(CudaErrorCode.illegalState, "the stream is not capturing");
  if (capture.origin !== stream.handle) {
    capture.invalid = true;
    fail(CudaErrorCode.streamCaptureUnmatched);
  }
  if (capture.mode !== CAPTURE_MODE_RELAXED && capture.thread !== cuda.thread)
    fail(CudaErrorCode.streamCaptureWrongThread);
  cuda.captures.delete(capture);
  // All work of streams that joined must have been waited for by the first stream.
  const joined = new Set<GraphNode>();
  const visit = (node: GraphNode): void => {
    if (joined.has(node)) return;
    joined.add(node);
    for (const dependency of node.dependencies) visit(dependency);
  };
  for (const node of stream.frontier) visit(findNode(capture, node));
  let unjoined = false;
  for (const state of capture.streams) {
    if (state.capture !== capture) continue;
    if (state.frontier.some((node) => !joined.has(findNode(capture, node)))) unjoined = true;
    state.capture = null;
    state.frontier = [];
  }
  for (const event of cuda.events.values()) if (event.captured?.capture === capture) event.captured = null;
  if (out !== 0) cuda.memory.setPointer(out, 0);
  if (capture.invalid) fail(CudaErrorCode.streamCaptureInvalidated);
  if (unjoined) fail(CudaErrorCode.streamCaptureUnjoined);
  if (out !== 0) cuda.memory.setPointer(out, capture.graphHandle ?? createGraph(cuda, capture.graph));
}

function captureStatus(capture: CaptureState | null | undefined): number {
  if (!capture) return CAPTURE_NONE;
  return capture.invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
}

function captureOf(cuda: CudaContext, handle: number): CaptureState | null {
  const stream = streamState(cuda, handle);
  requireKnownStatus(cuda, stream);
  return stream.capture;
}

export const captureApi: ApiGroup = {
  name: "Stream capture",
  checked: {
    cudaStreamBeginCapture: (cuda, stream: number, mode: number) => begin(cuda, stream, mode, null),
    cudaStreamBeginCaptureToGraph: (
      cuda,
      stream: number,
      graph: number,
      _dependencies: number,
      _edges: number,
      _count: number,
      mode: number,
    ) => begin(cuda, stream, mode, graph),
    cudaStreamEndCapture: (cuda, stream: number, out: number) => end(cuda, stream, out),
    cudaStreamIsCapturing: (cuda, stream: number, out: number) =>
      cuda.memory.setU32(out, captureStatus(captureOf(cuda, stream))),
    cudaStreamGetCaptureInfo(cuda, stream: number, status: number, id: number) {
      const capture = captureOf(cuda, stream);
      cuda.memory.setU32(status, captureStatus(capture));
      if (id !== 0 && capture) cuda.memory.setU64(id, BigInt(capture.id));
    },
    cudaThreadExchangeStreamCaptureMode: (cuda, mode: number) =>
      cuda.memory.setU32(mode, exchangeCaptureMode(cuda, cuda.memory.u32(mode))),
  },
  notes: {
    cudaStreamBeginCaptureToGraph: "first nodes get no dependencies",
  },
};
