/** Graphs of work: nodes with their work and their dependencies. */
import type { GraphId } from "../../../device/device.ts";
import type { DeviceState } from "../device-state.ts";
import type { CopyRequest, FillRequest } from "../work/requests.ts";
import type { KernelCall } from "../work/requests.ts";

export type GraphWork =
  | { readonly kind: "kernel"; readonly call: KernelCall }
  | { readonly kind: "memcpy"; readonly copy: CopyRequest }
  | { readonly kind: "memset"; readonly fill: FillRequest }
  | { readonly kind: "host"; readonly functionPointer: number; readonly userData: number }
  | { readonly kind: "graph"; readonly graph: GraphState }
  | { readonly kind: "empty" }
  | { readonly kind: "event-record"; readonly event: number }
  | { readonly kind: "event-wait"; readonly event: number }
  /** Memory that was allocated when the node was made (graph-memory.ts). isLent: no node frees it (lendGraphMemory). */
  | { readonly kind: "alloc"; readonly pointer: number; readonly isLent?: boolean }
  | { readonly kind: "free"; readonly pointer: number }
  /** What a library has put on the device (recorded-calls.ts). */
  | { readonly kind: "library"; readonly name: string; readonly graph: GraphId; readonly device: DeviceState };

/** cudaGraphNodeType */
export const NODE_TYPES: Readonly<Record<GraphWork["kind"], number>> = {
  kernel: 0,
  memcpy: 1,
  memset: 2,
  host: 3,
  graph: 4,
  empty: 5,
  "event-wait": 6,
  "event-record": 7,
  alloc: 10,
  free: 11,
  // A graph within the graph, whose nodes the program cannot see.
  library: 4,
};

export interface GraphNode {
  readonly handle: number;
  work: GraphWork;
  readonly dependencies: Set<GraphNode>;
}

export interface GraphState {
  readonly nodes: GraphNode[];
}

/** One step of an instantiated graph; `node` is the handle of the node it came from. */
export interface GraphStep {
  readonly node: number;
  /** Nodes that come before it. */
  readonly dependencies: readonly number[];
  work: GraphWork;
  enabled: boolean;
}

export interface GraphExecState {
  steps: GraphStep[];
}

/** The graph that a stream records into, if any. */
export interface CapturingStream {
  readonly device: number;
  readonly flags: number;
  /** Non-null while the stream records into a graph. */
  capture: CaptureState | null;
  /** In a capture: the nodes that the stream's next node depends on. */
  frontier: number[];
}

export interface CaptureState {
  readonly id: number;
  readonly graph: GraphState;
  /** When it records into a graph that exists. */
  readonly graphHandle: number | null;
  readonly origin: number;
  readonly mode: number;
  /** The host thread that began it. */
  readonly thread: number;
  /** The streams that record into it, destroyed ones included. */
  readonly streams: Set<CapturingStream>;
  invalid: boolean;
}
