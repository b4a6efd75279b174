/**
 * Memory of graphs, which allocation nodes provide. Its address is fixed when the node is made and holds for every
 * launch (CUDA programming guide, "Graph Memory Nodes"), even after the program has freed the memory. So an allocation
 * returns to the device when it is free and no graph is left that may run its node.
 */
import type { CudaContext } from "../context.ts";
import { usedWork } from "./graph-store.ts";

interface GraphMemory {
  /** Between a run of its allocation node and its free. */
  isLive: boolean;
}

function known(cuda: CudaContext): Map<number, GraphMemory> {
  return cuda.extension("graph memory", () => new Map<number, GraphMemory>());
}

/** The allocation belongs to a node that is being made. */
export function ownGraphMemory(cuda: CudaContext, pointer: number): void {
  known(cuda).set(pointer, { isLive: false });
}

/** Its allocation node runs. */
export function enterGraphMemory(cuda: CudaContext, pointer: number): void {
  const memory = known(cuda).get(pointer);
  if (memory !== undefined) memory.isLive = true;
}

/**
 * The program, or a node, frees the allocation. True if it stays allocated for later launches; else the caller frees
 * the memory like any other.
 */
export function leaveGraphMemory(cuda: CudaContext, pointer: number): boolean {
  const memory = known(cuda).get(pointer);
  if (memory === undefined) return false;
  memory.isLive = false;
  if (reachable(cuda).has(pointer)) return true;
  known(cuda).delete(pointer);
  return false;
}

/** After a graph or an executable graph is gone: the allocations that are free and that no launch will use again. */
export function takeUnusedGraphMemory(cuda: CudaContext): number[] {
  const all = known(cuda);
  if (all.size === 0) return [];
  const used = reachable(cuda);
  const unused = [...all]
    .filter(([pointer, memory]) => !memory.isLive && !used.has(pointer))
    .map(([pointer]) => pointer);
  for (const pointer of unused) all.delete(pointer);
  return unused;
}

/** The allocations whose nodes are in a graph, an executable graph or a capture. */
function reachable(cuda: CudaContext): Set<number> {
  return new Set([...usedWork(cuda)].flatMap((work) => (work.kind === "alloc" ? [work.pointer] : [])));
}
