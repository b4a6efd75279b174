/**
 * Graphs: built by hand or captured, instantiated, launched, updated (runtime API reference, "Graph Management").
 *
 * A node's parameters are copied when it is made, kernel arguments included, as CUDA does. A launched graph runs its
 * nodes one after the other in an order that its dependencies allow.
 */
import { alignUp } from "../../../base/align.ts";
import {
  GRAPH_UPDATE_RESULT,
  HOST_NODE_PARAMS,
  KERNEL_NODE_PARAMS,
  MEM_ALLOC_NODE_PARAMS,
  MEMSET_PARAMS,
} from "../structs.ts";
import type { ApiGroup } from "./api-table.ts";
import { allocateDeviceMemory, freeDeviceMemory } from "../allocations/allocation.ts";
import type { CudaContext } from "../context.ts";
import type { FillRequest } from "../work/requests.ts";
import { linearCopy } from "../work/copy.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { readCopy3d } from "./arrays.ts";
import { ownGraphMemory, takeUnusedGraphMemory } from "../graph/graph-memory.ts";
import type { GraphExecState, GraphNode, GraphState, GraphStep, GraphWork } from "../graph/graph-model.ts";
import { NODE_TYPES } from "../graph/graph-model.ts";
import { launchSteps } from "../work/cuda-work.ts";
import {
  addNode,
  cloneGraph,
  createGraph,
  graphExecState,
  graphState,
  inOrder,
  nodeEntry,
  removeNode,
} from "../graph/graph-store.ts";
import type { KernelCall } from "../work/requests.ts";
import { prepareCall, readDim3, writeDim3 } from "../work/launch.ts";
import { forgetRecorded, launchRecorded } from "../graph/device-graph.ts";
import { streamState } from "../work/stream-store.ts";

/** cudaGraphExecUpdateResult */
const UPDATE_TOPOLOGY_CHANGED = 2;
const UPDATE_NODE_TYPE_CHANGED = 3;

function dependenciesAt(cuda: CudaContext, list: number, count: number): GraphNode[] {
  return cuda.memory.pointers(list, count).map((handle) => nodeEntry(cuda, handle).node);
}

function add(
  cuda: CudaContext,
  out: number,
  graph: number,
  dependencies: number,
  count: number,
  work: GraphWork,
): void {
  if (out === 0 || (count > 0 && dependencies === 0)) fail(CudaErrorCode.invalidValue);
  const node = addNode(cuda, graphState(cuda, graph), work, dependenciesAt(cuda, dependencies, count));
  cuda.memory.setPointer(out, node.handle);
}

function readKernel(cuda: CudaContext, params: number): GraphWork {
  const p = KERNEL_NODE_PARAMS.read(cuda.memory, params);
  if (p.extra !== 0) fail(CudaErrorCode.notSupported, "kernel node parameters through `extra` are not supported yet");
  const call = prepareCall(cuda, {
    functionAddress: p.func,
    grid: readDim3(cuda, p.gridDim),
    block: readDim3(cuda, p.blockDim),
    sharedBytes: p.sharedMemBytes,
    args: p.kernelParams,
    cooperative: false,
  });
  return { kind: "kernel", call };
}

/** Where cudaGraphKernelNodeGetParams leaves the arguments: memory of the program that lives on. */
function writeKernel(cuda: CudaContext, out: number, call: KernelCall): void {
  const m = cuda.memory;
  const { params } = call.kernel;
  const { pointerBytes } = m.model;
  const list = cuda.host.malloc(pointerBytes * Math.max(1, params.length) + call.params.length + 16);
  if (list === 0) fail(CudaErrorCode.memoryAllocation);
  const values = alignUp(list + pointerBytes * params.length, 16);
  m.slice(values, call.params.length).set(call.params);
  for (const [index, param] of params.entries()) m.setPointerAt(list, index, values + param.offset);
  KERNEL_NODE_PARAMS.write(m, out, {
    func: call.functionAddress,
    sharedMemBytes: call.sharedBytes,
    kernelParams: list,
    extra: 0,
  });
  const { gridDim, blockDim } = KERNEL_NODE_PARAMS.read(m, out);
  writeDim3(cuda, gridDim, call.grid);
  writeDim3(cuda, blockDim, call.block);
}

function readFill(cuda: CudaContext, params: number): FillRequest {
  const { dst, pitch, value, elementSize, width, height } = MEMSET_PARAMS.read(cuda.memory, params);
  if (elementSize !== 1 && elementSize !== 2 && elementSize !== 4) return fail(CudaErrorCode.invalidValue);
  return { address: dst, pitch, slicePitch: pitch * height, value, elementBytes: elementSize, width, height, depth: 1 };
}

function readHost(cuda: CudaContext, params: number): GraphWork {
  const { fn, userData } = HOST_NODE_PARAMS.read(cuda.memory, params);
  return { kind: "host", functionPointer: fn, userData };
}

function stepOf({ handle, work, dependencies }: GraphNode): GraphStep {
  return { node: handle, dependencies: [...dependencies].map((dependency) => dependency.handle), work, enabled: true };
}

function instantiate(cuda: CudaContext, out: number, graph: number): void {
  const steps = inOrder(graphState(cuda, graph)).map(stepOf);
  cuda.memory.setPointer(out, cuda.graphExecs.add({ steps }));
}

/** The step of an executable graph that came from a node, if it does the same kind of work. */
function setStep(cuda: CudaContext, exec: number, node: number, work: GraphWork): void {
  const step =
    graphExecState(cuda, exec).steps.find((candidate) => candidate.node === node) ??
    fail(CudaErrorCode.invalidValue, "the node does not belong to the executable graph");
  if (step.work.kind !== work.kind) fail(CudaErrorCode.invalidValue);
  step.work = work;
}

/**
 * Replaces what the steps do by what the graph's nodes do; both must have the same shape. Writes { result, errorNode,
 * errorFromNode }.
 */
function update(cuda: CudaContext, execHandle: number, graph: number, info: number): void {
  const exec: GraphExecState = graphExecState(cuda, execHandle);
  const nodes = inOrder(graphState(cuda, graph));
  const refuse = (result: number, node: GraphNode | undefined): never => {
    if (info !== 0)
      GRAPH_UPDATE_RESULT.write(cuda.memory, info, { result, errorNode: node?.handle ?? 0, errorFromNode: 0 });
    return fail(CudaErrorCode.graphExecUpdateFailure);
  };
  if (nodes.length !== exec.steps.length) refuse(UPDATE_TOPOLOGY_CHANGED, undefined);
  for (const [index, node] of nodes.entries())
    if (exec.steps[index]?.work.kind !== node.work.kind) refuse(UPDATE_NODE_TYPE_CHANGED, node);
  exec.steps = nodes.map(stepOf);
  if (info !== 0) GRAPH_UPDATE_RESULT.write(cuda.memory, info, { result: 0, errorNode: 0, errorFromNode: 0 });
}

/** Lists handles the CUDA way: with a null array only the count, else as many as fit, the rest as null. */
function list(
  cuda: CudaContext,
  arrays: readonly number[],
  countAddress: number,
  rows: readonly (readonly number[])[],
): void {
  if (countAddress === 0) fail(CudaErrorCode.invalidValue);
  if (arrays.some((array) => array !== 0)) {
    const capacity = cuda.memory.pointer(countAddress);
    for (let i = 0; i < capacity; i++)
      arrays.forEach((array, column) => array !== 0 && cuda.memory.setPointerAt(array, i, rows[i]?.[column] ?? 0));
  }
  cuda.memory.setPointer(countAddress, rows.length);
}

function eachPair(
  cuda: CudaContext,
  from: number,
  to: number,
  count: number,
  use: (from: GraphNode, to: GraphNode) => void,
): void {
  const nodeAt = (list: number, i: number): GraphNode => nodeEntry(cuda, cuda.memory.pointerAt(list, i)).node;
  for (let i = 0; i < count; i++) use(nodeAt(from, i), nodeAt(to, i));
}

function symbolAddress(cuda: CudaContext, symbol: number, offset: number, bytes: number): number {
  const found = cuda.registry.symbol(symbol, cuda.current);
  if (offset + bytes > found.bytes) fail(CudaErrorCode.invalidValue);
  return found.pointer + offset;
}

function freeUnusedMemory(cuda: CudaContext): void {
  for (const pointer of takeUnusedGraphMemory(cuda)) freeDeviceMemory(cuda, pointer);
}

/** A node does the same kind of work with other parameters. */
function setWork(cuda: CudaContext, handle: number, work: GraphWork): void {
  const { node } = nodeEntry(cuda, handle);
  if (node.work.kind !== work.kind) fail(CudaErrorCode.invalidValue, `the node is no ${work.kind} node`);
  node.work = work;
}

/** The handle of the graph in a node: it gets one when a program first asks for it. */
function graphHandle(cuda: CudaContext, graph: GraphState): number {
  for (const [handle, known] of cuda.graphs.entries()) if (known === graph) return handle;
  return createGraph(cuda, graph);
}

function kernelCallOf(cuda: CudaContext, node: number): KernelCall {
  const { work } = nodeEntry(cuda, node).node;
  return work.kind === "kernel" ? work.call : fail(CudaErrorCode.invalidValue, "the node is no kernel node");
}

export const graphApi: ApiGroup = {
  name: "Graphs",
  checked: {
    cudaGraphCreate: (cuda, out: number) => cuda.memory.setPointer(out, createGraph(cuda, { nodes: [] })),
    cudaGraphDestroy(cuda, graph: number) {
      graphState(cuda, graph);
      cuda.graphs.delete(graph);
      freeUnusedMemory(cuda);
    },
    cudaGraphClone: (cuda, out: number, graph: number) =>
      cuda.memory.setPointer(out, createGraph(cuda, cloneGraph(cuda, graphState(cuda, graph)))),
    cudaGraphAddKernelNode: (cuda, out: number, graph: number, deps: number, count: number, params: number) =>
      add(cuda, out, graph, deps, count, readKernel(cuda, params)),
    cudaGraphKernelNodeGetParams: (cuda, node: number, out: number) => writeKernel(cuda, out, kernelCallOf(cuda, node)),
    cudaGraphKernelNodeSetParams(cuda, node: number, params: number) {
      kernelCallOf(cuda, node);
      nodeEntry(cuda, node).node.work = readKernel(cuda, params);
    },
    cudaGraphAddMemcpyNode: (cuda, out: number, graph: number, deps: number, count: number, params: number) =>
      add(cuda, out, graph, deps, count, { kind: "memcpy", copy: readCopy3d(cuda, params) }),
    cudaGraphAddMemcpyNode1D: (
      cuda,
      out: number,
      graph: number,
      deps: number,
      count: number,
      to: number,
      from: number,
      bytes: number,
      kind: number,
    ) => add(cuda, out, graph, deps, count, { kind: "memcpy", copy: linearCopy(to, from, bytes, kind) }),
    cudaGraphAddMemcpyNodeToSymbol: (
      cuda,
      out: number,
      graph: number,
      deps: number,
      count: number,
      symbol: number,
      from: number,
      bytes: number,
      offset: number,
      kind: number,
    ) =>
      add(cuda, out, graph, deps, count, {
        kind: "memcpy",
        copy: linearCopy(symbolAddress(cuda, symbol, offset, bytes), from, bytes, kind),
      }),
    cudaGraphAddMemcpyNodeFromSymbol: (
      cuda,
      out: number,
      graph: number,
      deps: number,
      count: number,
      to: number,
      symbol: number,
      bytes: number,
      offset: number,
      kind: number,
    ) =>
      add(cuda, out, graph, deps, count, {
        kind: "memcpy",
        copy: linearCopy(to, symbolAddress(cuda, symbol, offset, bytes), bytes, kind),
      }),
    cudaGraphAddMemsetNode: (cuda, out: number, graph: number, deps: number, count: number, params: number) =>
      add(cuda, out, graph, deps, count, { kind: "memset", fill: readFill(cuda, params) }),
    cudaGraphMemcpyNodeSetParams1D(cuda, node: number, to: number, from: number, bytes: number, kind: number) {
      setWork(cuda, node, { kind: "memcpy", copy: linearCopy(to, from, bytes, kind) });
    },
    cudaGraphMemsetNodeSetParams: (cuda, node: number, params: number) =>
      setWork(cuda, node, { kind: "memset", fill: readFill(cuda, params) }),
    cudaGraphAddHostNode: (cuda, out: number, graph: number, deps: number, count: number, params: number) =>
      add(cuda, out, graph, deps, count, readHost(cuda, params)),
    cudaGraphAddChildGraphNode: (cuda, out: number, graph: number, deps: number, count: number, child: number) =>
      add(cuda, out, graph, deps, count, { kind: "graph", graph: cloneGraph(cuda, graphState(cuda, child)) }),
    cudaGraphChildGraphNodeGetGraph(cuda, node: number, out: number) {
      const { work } = nodeEntry(cuda, node).node;
      if (work.kind !== "graph") fail(CudaErrorCode.invalidValue, "the node is no child graph");
      cuda.memory.setPointer(out, graphHandle(cuda, work.graph));
    },
    cudaGraphAddEmptyNode: (cuda, out: number, graph: number, deps: number, count: number) =>
      add(cuda, out, graph, deps, count, { kind: "empty" }),
    cudaGraphAddEventRecordNode: (cuda, out: number, graph: number, deps: number, count: number, event: number) =>
      add(cuda, out, graph, deps, count, { kind: "event-record", event }),
    cudaGraphAddEventWaitNode: (cuda, out: number, graph: number, deps: number, count: number, event: number) =>
      add(cuda, out, graph, deps, count, { kind: "event-wait", event }),
    cudaGraphAddMemAllocNode(cuda, out: number, graph: number, deps: number, count: number, params: number) {
      const pointer = allocateDeviceMemory(cuda, MEM_ALLOC_NODE_PARAMS.read(cuda.memory, params).bytesize);
      ownGraphMemory(cuda, pointer);
      MEM_ALLOC_NODE_PARAMS.write(cuda.memory, params, { dptr: pointer });
      add(cuda, out, graph, deps, count, { kind: "alloc", pointer });
    },
    cudaGraphAddMemFreeNode: (cuda, out: number, graph: number, deps: number, count: number, pointer: number) =>
      add(cuda, out, graph, deps, count, { kind: "free", pointer }),
    cudaGraphAddDependencies: (cuda, _graph: number, from: number, to: number, count: number) =>
      eachPair(cuda, from, to, count, (a, b) => b.dependencies.add(a)),
    cudaGraphRemoveDependencies: (cuda, _graph: number, from: number, to: number, count: number) =>
      eachPair(cuda, from, to, count, (a, b) => b.dependencies.delete(a)),
    cudaGraphDestroyNode: (cuda, node: number) => removeNode(cuda, node),
    cudaGraphGetNodes: (cuda, graph: number, nodes: number, count: number) =>
      list(
        cuda,
        [nodes],
        count,
        graphState(cuda, graph).nodes.map((node) => [node.handle]),
      ),
    cudaGraphGetRootNodes: (cuda, graph: number, nodes: number, count: number) =>
      list(
        cuda,
        [nodes],
        count,
        graphState(cuda, graph)
          .nodes.filter((node) => node.dependencies.size === 0)
          .map((node) => [node.handle]),
      ),
    cudaGraphGetEdges: (cuda, graph: number, from: number, to: number, count: number) =>
      list(
        cuda,
        [from, to],
        count,
        graphState(cuda, graph).nodes.flatMap((node) =>
          [...node.dependencies].map((dependency) => [dependency.handle, node.handle]),
        ),
      ),
    cudaGraphNodeGetDependentNodes(cuda, handle: number, nodes: number, count: number) {
      const { node, graph } = nodeEntry(cuda, handle);
      const dependent = graph.nodes.filter((other) => other.dependencies.has(node));
      list(
        cuda,
        [nodes],
        count,
        dependent.map((other) => [other.handle]),
      );
    },
    cudaGraphNodeGetType: (cuda, node: number, out: number) =>
      cuda.memory.setU32(out, NODE_TYPES[nodeEntry(cuda, node).node.work.kind]),
    cudaGraphInstantiate: (cuda, out: number, graph: number) => instantiate(cuda, out, graph),
    cudaGraphInstantiateWithFlags: (cuda, out: number, graph: number) => instantiate(cuda, out, graph),
    cudaGraphExecKernelNodeSetParams: (cuda, exec: number, node: number, params: number) =>
      setStep(cuda, exec, node, readKernel(cuda, params)),
    cudaGraphExecMemcpyNodeSetParams1D: (
      cuda,
      exec: number,
      node: number,
      to: number,
      from: number,
      bytes: number,
      kind: number,
    ) => setStep(cuda, exec, node, { kind: "memcpy", copy: linearCopy(to, from, bytes, kind) }),
    cudaGraphExecMemsetNodeSetParams: (cuda, exec: number, node: number, params: number) =>
      setStep(cuda, exec, node, { kind: "memset", fill: readFill(cuda, params) }),
    cudaGraphExecHostNodeSetParams: (cuda, exec: number, node: number, params: number) =>
      setStep(cuda, exec, node, readHost(cuda, params)),
    cudaGraphExecChildGraphNodeSetParams: (cuda, exec: number, node: number, child: number) =>
      setStep(cuda, exec, node, { kind: "graph", graph: cloneGraph(cuda, graphState(cuda, child)) }),
    cudaGraphExecUpdate: update,
    cudaGraphUpload: (cuda, exec: number) => void graphExecState(cuda, exec),
    cudaGraphLaunch(cuda, exec: number, stream: number) {
      const state = graphExecState(cuda, exec);
      if (launchRecorded(cuda, state, streamState(cuda, stream))) return;
      cuda.tracer?.enterGraph(exec);
      try {
        launchSteps(cuda, state.steps, streamState(cuda, stream));
      } finally {
        cuda.tracer?.enterGraph(0);
      }
    },
    cudaGraphExecDestroy(cuda, exec: number) {
      forgetRecorded(graphExecState(cuda, exec));
      cuda.graphExecs.delete(exec);
      freeUnusedMemory(cuda);
    },
    cudaGraphDebugDotPrint: (cuda) =>
      fail(CudaErrorCode.notSupported, cuda.devices.length > 0 ? "graphs are not printed yet" : undefined),
    cudaDeviceGraphMemTrim: (cuda, device: number) => void cuda.deviceAt(device),
  },
  notes: {
    cudaGraphLaunch: "nodes run one after the other",
    cudaGraphAddMemAllocNode:
      "allocates when the node is made; " +
      "the memory goes back when it is free and neither the graph nor an executable of it is left",
    cudaGraphDebugDotPrint: "always cudaErrorNotSupported",
    cudaGraphAddKernelNode: "not with `extra`",
  },
};

/**
 * In cudaMemAllocNodeParams: poolProps { 3 × 4, location 8 bytes → 16; pointer, maxSize, 56 reserved } = 80,
 * accessDescs, count, then bytesize.
 */
