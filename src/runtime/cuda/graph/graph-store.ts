/** Graphs and their nodes by handle. */
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import type { GraphExecState, GraphNode, GraphState, GraphWork } from "./graph-model.ts";
import { HandleTable } from "../handles.ts";

interface NodeEntry {
  readonly node: GraphNode;
  readonly graph: GraphState;
}

function nodeTable(cuda: CudaContext): HandleTable<NodeEntry> {
  return cuda.extension("graph nodes", () => new HandleTable<NodeEntry>(0x7c00_0010, 0x10));
}

export function createGraph(cuda: CudaContext, graph: GraphState): number {
  return cuda.graphs.add(graph);
}

export function graphState(cuda: CudaContext, handle: number): GraphState {
  return cuda.graphs.get(handle) ?? fail(CudaErrorCode.invalidValue, "the graph does not exist, or is destroyed");
}

export function graphExecState(cuda: CudaContext, handle: number): GraphExecState {
  return (
    cuda.graphExecs.get(handle) ??
    fail(CudaErrorCode.invalidValue, "the executable graph does not exist, or is destroyed")
  );
}

export function nodeEntry(cuda: CudaContext, handle: number): NodeEntry {
  return nodeTable(cuda).get(handle) ?? fail(CudaErrorCode.invalidValue, "the graph node does not exist");
}

export function addNode(
  cuda: CudaContext,
  graph: GraphState,
  work: GraphWork,
  dependencies: readonly GraphNode[],
): GraphNode {
  const node: { handle: number; work: GraphWork; dependencies: Set<GraphNode> } = {
    handle: 0,
    work,
    dependencies: new Set(dependencies),
  };
  node.handle = nodeTable(cuda).add({ node, graph });
  graph.nodes.push(node);
  return node;
}

export function removeNode(cuda: CudaContext, handle: number): void {
  const { node, graph } = nodeEntry(cuda, handle);
  graph.nodes.splice(graph.nodes.indexOf(node), 1);
  for (const other of graph.nodes) other.dependencies.delete(node);
  nodeTable(cuda).delete(handle);
}

/** A copy of a graph with nodes of its own. */
export function cloneGraph(cuda: CudaContext, graph: GraphState): GraphState {
  const copy: GraphState = { nodes: [] };
  const copies = new Map<GraphNode, GraphNode>();
  for (const node of inOrder(graph))
    copies.set(
      node,
      addNode(
        cuda,
        copy,
        node.work,
        [...node.dependencies].map((dependency) => copies.get(dependency) ?? fail(CudaErrorCode.invalidValue)),
      ),
    );
  return copy;
}

/** The work of all graphs, executable graphs and captures that the program has, and of the graphs in them. */
export function usedWork(cuda: CudaContext): Set<GraphWork> {
  const used = new Set<GraphWork>();
  const visit = (work: GraphWork): void => {
    used.add(work);
    if (work.kind === "graph") for (const node of work.graph.nodes) visit(node.work);
  };
  for (const graph of cuda.graphs.values()) for (const node of graph.nodes) visit(node.work);
  for (const exec of cuda.graphExecs.values()) for (const step of exec.steps) visit(step.work);
  for (const { graph } of cuda.captures) for (const node of graph.nodes) visit(node.work);
  return used;
}

/** The nodes in topological order: each after its dependencies. Throws invalidValue for a cycle. */
export function inOrder(graph: GraphState): GraphNode[] {
  const done = new Set<GraphNode>();
  const open = new Set<GraphNode>();
  const order: GraphNode[] = [];
  const visit = (node: GraphNode): void => {
    if (done.has(node)) return;
    if (open.has(node)) fail(CudaErrorCode.invalidValue, "the graph has a cycle");
    open.add(node);
    for (const dependency of node.dependencies) visit(dependency);
    open.delete(node);
    done.add(node);
    order.push(node);
  };
  for (const node of graph.nodes) visit(node);
  return order;
}
