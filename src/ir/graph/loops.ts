/**
 * Natural loops: headers, latches, bodies, exits, nesting (Aho, Lam, Sethi, Ullman, section 9.6).
 *
 * A back edge goes to a block that dominates its source. A cycle that is entered at several blocks has none;
 * `irreducible` holds the targets of the retreating edges of such cycles.
 */
import type { IrBlock, IrFunction } from "../model/ir.ts";
import { predecessors, reversePostOrder, successors } from "./cfg.ts";
import { dominatorTree } from "./dominators.ts";
import type { DominatorTree } from "./dominators.ts";

export interface Loop {
  readonly header: IrBlock;
  /** Sources of the back edges. */
  readonly latches: readonly IrBlock[];
  /** All blocks, those of inner loops included. */
  readonly blocks: ReadonlySet<IrBlock>;
  readonly parent: Loop | null;
  readonly children: readonly Loop[];
  /** 1 for an outermost loop. */
  readonly depth: number;
  /** Edges that leave the loop. */
  readonly exits: readonly { readonly from: IrBlock; readonly to: IrBlock }[];
}

export interface LoopForest {
  /** Outer loops before the loops inside of them. */
  readonly loops: readonly Loop[];
  /** The innermost loop around a block, or null. */
  loopOf(block: IrBlock): Loop | null;
  /** Headers of cycles with several entries; empty for reducible functions. */
  readonly irreducible: readonly IrBlock[];
}

type MutableLoop = { -readonly [K in keyof Loop]: Loop[K] } & {
  blocks: Set<IrBlock>;
  children: Loop[];
  latches: IrBlock[];
};

export function findLoops(fn: IrFunction, tree: DominatorTree = dominatorTree(fn)): LoopForest {
  const order = reversePostOrder(fn);
  const before = predecessors(fn);
  const position = new Map(order.map((block, i) => [block, i]));
  const latchesOf = new Map<IrBlock, IrBlock[]>();
  const irreducible = new Set<IrBlock>();
  for (const block of order) {
    for (const next of successors(block)) {
      if ((position.get(next) as number) > (position.get(block) as number)) continue;
      if (!tree.dominates(next, block)) irreducible.add(next);
      else {
        const list = latchesOf.get(next);
        if (list) list.push(block);
        else latchesOf.set(next, [block]);
      }
    }
  }
  const loops: MutableLoop[] = [];
  const innermost = new Map<IrBlock, MutableLoop>();
  // In reverse post-order an outer header comes before the inner ones: later loops are the inner ones.
  for (const header of order) {
    const latches = latchesOf.get(header);
    if (latches === undefined) continue;
    const blocks = bodyOf(header, latches, before, tree);
    const parent = innermost.get(header) ?? null;
    const loop: MutableLoop = {
      header,
      latches,
      blocks,
      parent,
      children: [],
      depth: (parent?.depth ?? 0) + 1,
      exits: [],
    };
    parent?.children.push(loop);
    loops.push(loop);
    for (const block of blocks) innermost.set(block, loop);
    loop.exits = order
      .filter((block) => blocks.has(block))
      .flatMap((from) =>
        successors(from)
          .filter((to) => !blocks.has(to))
          .map((to) => ({ from, to })),
      );
  }
  return { loops, loopOf: (block) => innermost.get(block) ?? null, irreducible: [...irreducible] };
}

/** The blocks that reach a latch without passing the header. */
function bodyOf(
  header: IrBlock,
  latches: readonly IrBlock[],
  before: ReadonlyMap<IrBlock, IrBlock[]>,
  tree: DominatorTree,
): Set<IrBlock> {
  const blocks = new Set<IrBlock>([header]);
  const work = [...latches];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    if (blocks.has(block) || !tree.isReachable(block)) continue;
    blocks.add(block);
    work.push(...(before.get(block) ?? []));
  }
  return blocks;
}

/** The one block outside of the loop that leads to the header, and only there; null where there is none. */
export function preheaderOf(loop: Loop, before: ReadonlyMap<IrBlock, readonly IrBlock[]>): IrBlock | null {
  const outside = (before.get(loop.header) ?? []).filter((block) => !loop.blocks.has(block));
  const only = outside[0];
  return outside.length === 1 && only !== undefined && successors(only).length === 1 ? only : null;
}
