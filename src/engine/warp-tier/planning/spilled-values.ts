/**
 * Where a value is read behind a barrier: from the warp's context, where the barrier has put it, and not from locals
 * that are loaded first. An operation then begins with the loads of its operands, and few vectors are live.
 */
import type { IrInstruction } from "../../../ir/model/ir.ts";
import type { FlowGraph } from "../../../analysis/loops/flow-graph.ts";

/**
 * The blocks to which every way from the value's definition leads through a barrier. None for a value of a loop, whose
 * place in the context may have a former iteration's value. `suspends`: blocks that end in a barrier.
 */
export function blocksBehindBarriers(
  flow: FlowGraph,
  i: IrInstruction,
  suspends: ReadonlySet<number>,
): { readonly behind: ReadonlySet<number>; readonly before: ReadonlySet<number> } {
  const from = flow.indexOf.get(i.block)!;
  const before = new Set([from]);
  const reached = new Set<number>();
  const open = [from];
  for (let b = open.pop(); b !== undefined; b = open.pop()) {
    for (const s of flow.successors[b]!) {
      const isBefore = before.has(b) && !suspends.has(b);
      if (reached.has(s) && (!isBefore || before.has(s))) continue;
      reached.add(s);
      if (isBefore) before.add(s);
      open.push(s);
    }
  }
  if (reached.has(from)) return { behind: new Set(), before: new Set([...before, ...reached]) };
  return { behind: new Set([...reached].filter((b) => !before.has(b))), before };
}

/** All blocks that can follow. */
export function reachableFrom(flow: FlowGraph, start: number): ReadonlySet<number> {
  const reached = new Set([start]);
  const open = [start];
  for (let b = open.pop(); b !== undefined; b = open.pop())
    for (const s of flow.successors[b]!)
      if (!reached.has(s)) {
        reached.add(s);
        open.push(s);
      }
  return reached;
}
