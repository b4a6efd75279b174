/**
 * The control flow of one function as arrays over block numbers: successors, dominators, post-dominators, loops.
 *
 * Blocks are numbered in the linear order in which the warp tier lays them out: topological but for back edges, and
 * every loop contiguous. Number 0 is the entry. Requires reducible control flow with one latch for each loop
 * (pass-loop-simplify).
 *
 * Used by: divergence.ts, induction.ts, liveness.ts and the warp tier. Passes that take any control flow use ir/graph.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrBlock, IrFunction } from "../../ir/model/ir.ts";
import { postOrder, successors } from "../../ir/graph/cfg.ts";
import { immediateDominators } from "../../ir/graph/dominators.ts";

export interface FlowLoop {
  readonly id: number;
  readonly header: number;
  readonly latch: number;
  /** Enclosing loop's id or -1. */
  readonly parent: number;
  readonly blocks: ReadonlySet<number>;
  /** The highest block number in the loop. */
  readonly last: number;
  /** Edges that leave the loop. */
  readonly exits: readonly { readonly from: number; readonly to: number }[];
}

export interface FlowGraph {
  readonly blocks: readonly IrBlock[];
  readonly indexOf: ReadonlyMap<IrBlock, number>;
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
  /** Immediate dominator, -1 for the entry. */
  readonly idom: readonly number[];
  /** Immediate post-dominator, -1 where it is the virtual exit. */
  readonly ipdom: readonly number[];
  readonly loops: readonly FlowLoop[];
  /** Innermost loop of a block, or -1. */
  readonly loopOf: readonly number[];
}

/** null: the control flow is irreducible or a loop has several latches, so the warp tier does not apply. */
export function buildFlowGraph(fn: IrFunction): FlowGraph | null {
  // Plain reverse postorder first. The successors that the terminator names first come first.
  const rpo = postOrder(fn.blocks[0]!, (block) => successors(block).reverse()).reverse();
  const numberOf = new Map(rpo.map((block, i) => [block, i]));
  const succ = rpo.map((b) => [...new Set(successors(b))].map((s) => numberOf.get(s)!));
  const pred = invert(succ);
  const idom = dominatorsOf(succ, pred, 0);

  const loops = findLoops(succ, pred, idom);
  if (loops === null) return null;
  const order = linearOrder(succ, loops, reachesWait(rpo, succ, pred));
  if (order === null) return null;

  const renumber = new Array<number>(rpo.length);
  order.forEach((old, now) => (renumber[old] = now));
  const blocks = order.map((old) => rpo[old]!);
  const successorsNow = order.map((old) => succ[old]!.map((s) => renumber[s]!));
  const predecessorsNow = invert(successorsNow);
  const finalLoops: FlowLoop[] = loops.map((l) => {
    const members = new Set([...l.blocks].map((b) => renumber[b]!));
    const exits: { from: number; to: number }[] = [];
    for (const b of members) for (const s of successorsNow[b]!) if (!members.has(s)) exits.push({ from: b, to: s });
    return {
      id: l.id,
      header: renumber[l.header]!,
      latch: renumber[l.latch]!,
      parent: l.parent,
      blocks: members,
      last: Math.max(...members),
      exits,
    };
  });
  const loopOf = new Array<number>(blocks.length).fill(-1);
  for (const l of [...finalLoops].sort((a, b) => b.blocks.size - a.blocks.size))
    for (const b of l.blocks) loopOf[b] = l.id;
  return {
    blocks,
    indexOf: new Map(blocks.map((b, i) => [b, i])),
    successors: successorsNow,
    predecessors: predecessorsNow,
    idom: dominatorsOf(successorsNow, predecessorsNow, 0),
    ipdom: postDominatorsOf(successorsNow, predecessorsNow),
    loops: finalLoops,
    loopOf,
  };
}

export function dominates(tree: readonly number[], a: number, b: number): boolean {
  for (let x = b; x >= 0; x = tree[x]!) if (x === a) return true;
  return false;
}

function invert(succ: readonly (readonly number[])[]): number[][] {
  const pred: number[][] = succ.map(() => []);
  succ.forEach((list, i) => list.forEach((s) => pred[s]!.push(i)));
  return pred;
}

/**
 * The immediate dominator of each node, -1 for the root and for what it does not reach. Nodes may be numbered in any
 * order.
 */
function dominatorsOf(
  succ: readonly (readonly number[])[],
  pred: readonly (readonly number[])[],
  root: number,
): number[] {
  const order = postOrder(root, (node) => succ[node]!).reverse();
  const position = new Map(order.map((node, i) => [node, i]));
  const tree = immediateDominators(order.map((node) => pred[node]!.flatMap((p) => position.get(p) ?? [])));
  const idom = new Array<number>(succ.length).fill(-1);
  order.forEach((node, i) => {
    if (node !== root) idom[node] = order[tree[i]!]!;
  });
  return idom;
}

function postDominatorsOf(succ: readonly (readonly number[])[], pred: readonly (readonly number[])[]): number[] {
  const exit = succ.length;
  const reversedSucc: number[][] = pred.map((p) => [...p]);
  reversedSucc.push([]);
  const reversedPred: number[][] = succ.map((s) => [...s]);
  reversedPred.push([]);
  succ.forEach((s, i) => {
    if (s.length === 0) {
      reversedSucc[exit]!.push(i);
      reversedPred[i]!.push(exit);
    }
  });
  return dominatorsOf(reversedSucc, reversedPred, exit)
    .slice(0, exit)
    .map((d) => (d === exit ? -1 : d));
}

interface RawLoop {
  id: number;
  header: number;
  latch: number;
  parent: number;
  blocks: Set<number>;
}

function findLoops(
  succ: readonly (readonly number[])[],
  pred: readonly (readonly number[])[],
  idom: readonly number[],
): RawLoop[] | null {
  const loops: RawLoop[] = [];
  const byHeader = new Map<number, number>();
  for (let from = 0; from < succ.length; from++) {
    for (const to of succ[from]!) {
      if (to > from) continue; // numbers are a reverse postorder: only retreating edges go back
      if (!dominates(idom, to, from)) return null; // irreducible
      if (byHeader.has(to)) return null; // two latches
      byHeader.set(to, from);
      const blocks = new Set<number>([to]);
      const work = [from];
      while (work.length > 0) {
        const b = work.pop()!;
        if (blocks.has(b)) continue;
        blocks.add(b);
        work.push(...pred[b]!);
      }
      loops.push({ id: loops.length, header: to, latch: from, parent: -1, blocks });
    }
  }
  for (const inner of loops) {
    let best: RawLoop | null = null;
    for (const outer of loops) {
      if (outer !== inner && outer.blocks.has(inner.header) && (best === null || outer.blocks.size < best.blocks.size))
        best = outer;
    }
    inner.parent = best ? best.id : -1;
  }
  return loops;
}

/** By block: the lanes of a warp may still reach an operation that needs them together. */
function reachesWait(
  blocks: readonly IrBlock[],
  succ: readonly (readonly number[])[],
  pred: readonly (readonly number[])[],
): boolean[] {
  const reaches = succ.map(() => false);
  const work: number[] = [];
  blocks.forEach((block, b) => {
    if (block.instructions.some((i) => calledIntrinsic(i)?.isConvergent === true)) work.push(b);
  });
  while (work.length > 0) {
    const b = work.pop()!;
    if (reaches[b]) continue;
    reaches[b] = true;
    work.push(...pred[b]!);
  }
  return reaches;
}

/**
 * Topological order of each loop body with inner loops as single nodes, so that every loop is contiguous. Of two paths,
 * the one on which nothing waits any more comes first: lanes that only finish are gone before the others meet at a
 * barrier.
 */
function linearOrder(
  succ: readonly (readonly number[])[],
  loops: readonly RawLoop[],
  waits: readonly boolean[],
): number[] | null {
  const innermost = new Array<number>(succ.length).fill(-1);
  for (const l of [...loops].sort((a, b) => b.blocks.size - a.blocks.size))
    for (const b of l.blocks) innermost[b] = l.id;
  /**
   * The node that stands for block b at the level of loop `level`: b itself, or the outermost loop inside `level` that
   * holds it.
   */
  const nodeAt = (b: number, level: number): { block: number; loop: number } => {
    let loop = innermost[b]!;
    if (loop === level) return { block: b, loop: -1 };
    while (loops[loop]!.parent !== level) loop = loops[loop]!.parent;
    return { block: loops[loop]!.header, loop };
  };
  const inside = (b: number, level: number): boolean => level < 0 || loops[level]!.blocks.has(b);
  const orderLevel = (level: number, start: number): number[] => {
    const done = new Set<number>();
    const postorder: number[][] = [];
    const visit = (block: number): void => {
      done.add(block);
      const node = nodeAt(block, level);
      const members = node.loop >= 0 ? [...loops[node.loop]!.blocks].sort((a, b) => a - b) : [block];
      const out: number[] = [];
      for (const m of members)
        for (const s of succ[m]!) if (!(node.loop >= 0 && loops[node.loop]!.blocks.has(s))) out.push(s);
      // Visited first means placed last.
      for (const s of out.sort((a, b) => Number(waits[b]) - Number(waits[a]) || b - a)) {
        if (!inside(s, level) || s === start) continue;
        const next = nodeAt(s, level).block;
        if (!done.has(next)) visit(next);
      }
      postorder.push(node.loop >= 0 ? orderLevel(node.loop, loops[node.loop]!.header) : [block]);
    };
    visit(start);
    return postorder.reverse().flat();
  };
  const order = orderLevel(-1, 0);
  return order.length === succ.length ? order : null;
}
