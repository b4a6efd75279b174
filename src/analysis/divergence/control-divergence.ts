/**
 * Where the threads that part at a branch meet again: the control side of every divergence analysis.
 *
 * A value that is computed alike in all threads still differs between them where their paths join (a phi), and behind a
 * loop that they leave at different iterations (temporal divergence). Two forms of the question:
 *
 *   joinsOf, isReachedApart   on a flow graph (reducible, one latch for each loop): the exact joins. Rosemann, Moll,
 *                             Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs"
 *                             (POPL 2021). Used by divergence.ts, whose results decide the code of the warp tier.
 *   InfluenceRegions          on any control flow, as programs come: all blocks between the branch and its
 *                             post-dominator count. Sampaio, Souza, Collange, Pereira, "Divergence Analysis" (TOPLAS
 *                             2013). Used by block-uniformity.ts, which must not need loops to be simplified: the
 *                             checkers analyse code as it was written.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { immediateDominators } from "../../ir/graph/dominators.ts";
import { postOrderFrom, predecessors, reversePostOrder, successors, terminatorOf } from "../../ir/graph/cfg.ts";
import type { IrBlock, IrFunction } from "../../ir/model/ir.ts";
import type { FlowGraph } from "../loops/flow-graph.ts";

// ---------------------------------------------------------------- joins of a flow graph

/** A branch at which threads part, inside of the loop, decides whether `block` runs. */
export function isReachedApart(flow: FlowGraph, branch: readonly boolean[], loop: number, block: number): boolean {
  for (const d of flow.loops[loop]!.blocks) {
    if (!branch[d] || d === block) continue;
    // The branch decides unless all paths from it reach the block.
    let x = flow.ipdom[d]!;
    while (x >= 0 && x !== block) x = flow.ipdom[x]!;
    if (x !== block && reaches(flow, d, block, flow.loops[loop]!.header)) return true;
  }
  return false;
}

function reaches(flow: FlowGraph, from: number, to: number, not: number): boolean {
  const seen = new Set<number>();
  const work = [...flow.successors[from]!];
  while (work.length > 0) {
    const b = work.pop()!;
    if (b === to) return true;
    if (b === not || seen.has(b)) continue;
    seen.add(b);
    work.push(...flow.successors[b]!);
  }
  return false;
}

/**
 * Blocks that disjoint paths from the starts reach. Labels travel forward in linear order, and a block that two labels
 * reach is a join.
 */
export function joinsOf(flow: FlowGraph, starts: readonly number[]): number[] {
  const label = new Map<number, number>();
  const joins: number[] = [];
  const arrive = (block: number, from: number): void => {
    const old = label.get(block);
    if (old === undefined) label.set(block, from);
    else if (old !== from && old !== block) {
      label.set(block, block);
      joins.push(block);
    }
  };
  const first = Math.min(...starts);
  // the label of a path: negative, as a block's number is the label of a join
  for (const s of starts) arrive(s, -1 - s);
  for (let b = first; b < flow.blocks.length; b++) {
    const l = label.get(b);
    if (l === undefined) continue;
    for (const s of flow.successors[b]!) if (s > b) arrive(s, l);
  }
  return joins;
}

// ---------------------------------------------------------------- regions of any control flow

/**
 * The regions of branches, found with post-dominators, for any control flow. Paths that end the launch (a trap, a
 * failed assertion) are left out: no thread is missed behind them.
 */
export class InfluenceRegions {
  readonly #meeting = new Map<IrBlock, IrBlock | null>();
  readonly #next = new Map<IrBlock, readonly IrBlock[]>();

  constructor(fn: IrFunction) {
    const reachable = reversePostOrder(fn);
    const before = predecessors(fn);
    const live = new Set<IrBlock>();
    const work = reachable.filter((block) => endsThread(block));
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (live.has(block)) continue;
      live.add(block);
      for (const previous of before.get(block) ?? []) if (!endsThread(previous)) work.push(previous);
    }
    for (const block of reachable) {
      const next = endsThread(block) ? [] : successors(block);
      const alive = next.filter((to) => live.has(to));
      this.#next.set(block, alive.length === 0 ? next : alive);
    }
    // Post-dominators: from a virtual exit backwards. Blocks that never end meet nobody.
    const order = backwards(
      reachable.filter((block) => live.has(block)),
      this.#next,
    );
    const number = new Map(order.map((block, index) => [block, index + 1]));
    const incoming = [
      [],
      ...order.map((block) =>
        endsThread(block) ? [0] : (this.#next.get(block) ?? []).flatMap((to) => number.get(to) ?? []),
      ),
    ];
    const immediate = immediateDominators(incoming);
    order.forEach((block, index) => this.#meeting.set(block, order[(immediate[index + 1] as number) - 1] ?? null));
  }

  /**
   * The blocks between a branch and the block where all paths from it meet. `meeting` is null where they do not meet
   * before the thread ends.
   */
  from(branch: IrBlock): { readonly between: ReadonlySet<IrBlock>; readonly meeting: IrBlock | null } {
    const meeting = this.#meeting.get(branch) ?? null;
    const between = new Set<IrBlock>();
    const work = [...(this.#next.get(branch) ?? [])];
    // One path goes on: no choice is left.
    if (work.length < 2) return { between, meeting };
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (block === meeting || between.has(block)) continue;
      between.add(block);
      work.push(...(this.#next.get(block) ?? []));
    }
    return { between, meeting };
  }
}

/** The thread ends here, and the launch goes on. */
function endsThread(block: IrBlock): boolean {
  return (
    terminatorOf(block).op === "ret" || block.instructions.some((i) => calledIntrinsic(i)?.name === "llvm.nvvm.exit")
  );
}

/** Blocks in reverse post-order of the reversed graph. */
function backwards(blocks: readonly IrBlock[], next: ReadonlyMap<IrBlock, readonly IrBlock[]>): IrBlock[] {
  const before = new Map<IrBlock, IrBlock[]>(blocks.map((block) => [block, []]));
  for (const block of blocks) for (const to of next.get(block) ?? []) before.get(to)?.push(block);
  return postOrderFrom(blocks.filter(endsThread), (block) => before.get(block) ?? []).reverse();
}
