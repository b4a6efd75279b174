/**
 * Turns a reducible graph of nodes into WebAssembly's nested blocks and loops.
 *
 * Norman Ramsey, "Beyond Relooper: recursive translation of unstructured control flow to structured control flow" (ICFP
 * 2022): walk the dominator tree; a node with several forward predecessors is placed after a block that closes just
 * before it.
 */
import { bug } from "../../../base/diagnostics.ts";
import { postOrder } from "../../../ir/graph/cfg.ts";
import { immediateDominators } from "../../../ir/graph/dominators.ts";
import type { FunctionBuilder, Label } from "../../../wasm/function-builder.ts";

export interface NodeGraph {
  readonly count: number;
  readonly entry: number;
  successors(node: number): readonly number[];
  /** Emits the node's own code; leaves through `go(successor)`, once on every path (or returns from the function). */
  emit(node: number, go: (successor: number) => void): void;
  /** Emits what comes before a loop with this node as header, and what comes first in each of its iterations. */
  beforeLoop?(header: number): void;
  beginIteration?(header: number): void;
}

export function emitStructured(code: FunctionBuilder, graph: NodeGraph): void {
  // The last successor is visited first: of two, the first then comes first.
  const order = postOrder(graph.entry, (n) => [...graph.successors(n)].reverse()).reverse();
  const position = new Map(order.map((n, i) => [n, i]));
  const predecessors = new Map<number, number[]>();
  for (const n of order)
    for (const s of new Set(graph.successors(n))) predecessors.set(s, [...(predecessors.get(s) ?? []), n]);
  const isBackEdge = (from: number, to: number): boolean => position.get(to)! <= position.get(from)!;
  const tree = immediateDominators(order.map((n) => (predecessors.get(n) ?? []).map((p) => position.get(p)!)));
  const idom = new Map(order.map((n, i) => [n, order[tree[i]!]!]));
  const children = new Map<number, number[]>();
  for (const n of order) if (n !== graph.entry) children.set(idom.get(n)!, [...(children.get(idom.get(n)!) ?? []), n]);
  const forwardPredecessors = (n: number): number =>
    (predecessors.get(n) ?? []).filter((p) => !isBackEdge(p, n)).length;
  const isLoopHeader = (n: number): boolean => (predecessors.get(n) ?? []).some((p) => isBackEdge(p, n));
  /** Also nodes that one predecessor reaches by several of its branches. */
  const isMerge = (n: number): boolean =>
    forwardPredecessors(n) >= 2 || timesReached(graph, predecessors.get(n) ?? [], n, isBackEdge) >= 2;

  const labels = new Map<number, Label>(); // of merges (block) and loop headers (loop)
  const loopLabels = new Map<number, Label>();

  const within = (node: number, merges: readonly number[]): void => {
    const [outermost, ...rest] = merges;
    if (outermost !== undefined) {
      const label = code.block();
      labels.set(outermost, label);
      within(node, rest);
      code.end(label);
      labels.delete(outermost);
      emitTree(outermost);
      return;
    }
    graph.emit(node, (successor) => {
      if (isBackEdge(node, successor))
        code.br(loopLabels.get(successor) ?? bug("back edge to a loop that is not open"));
      else if (labels.has(successor)) code.br(labels.get(successor)!);
      else {
        if (idom.get(successor) !== node) bug("structuring met a node that is neither a merge nor a child");
        emitTree(successor);
      }
    });
  };
  const emitTree = (node: number): void => {
    // Merge children in reverse postorder, latest outermost.
    const merges = (children.get(node) ?? []).filter(isMerge).sort((a, b) => position.get(b)! - position.get(a)!);
    if (isLoopHeader(node)) {
      graph.beforeLoop?.(node);
      const label = code.loop();
      graph.beginIteration?.(node);
      loopLabels.set(node, label);
      within(node, merges);
      code.end(label);
      loopLabels.delete(node);
    } else within(node, merges);
  };
  emitTree(graph.entry);
}

function timesReached(
  graph: NodeGraph,
  predecessors: readonly number[],
  n: number,
  isBackEdge: (from: number, to: number) => boolean,
): number {
  let times = 0;
  for (const p of predecessors) if (!isBackEdge(p, n)) times += graph.successors(p).filter((s) => s === n).length;
  return times;
}
