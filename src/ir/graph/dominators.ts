/**
 * Dominators and post-dominators.
 *
 * Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001): intersection along reverse post-order until
 * nothing changes. Post-dominators run the same on the reversed graph from a virtual exit, which all returns and
 * `unreachable`s lead to. A region that no path leaves (an endless loop) is joined to the exit at one of its blocks, so
 * that every reachable block has an answer.
 */
import type { IrBlock, IrFunction, IrInstruction } from "../model/ir.ts";
import { postOrder, predecessors, reversePostOrder, successors } from "./cfg.ts";

export interface DominatorTree {
  /** The closest dominator; null for the root, and for blocks right below the virtual exit of a post-dominator tree. */
  immediate(block: IrBlock): IrBlock | null;
  /** Reflexive: a block dominates itself. Blocks that are not reachable are dominated by everything. */
  dominates(a: IrBlock, b: IrBlock): boolean;
  children(block: IrBlock): readonly IrBlock[];
  /** Distance from the root. */
  depth(block: IrBlock): number;
  isReachable(block: IrBlock): boolean;
  /** The closest block that dominates both; null where that is the virtual exit. */
  common(a: IrBlock, b: IrBlock): IrBlock | null;
}

export function dominatorTree(fn: IrFunction): DominatorTree {
  const order = reversePostOrder(fn);
  const before = predecessors(fn);
  const number = new Map(order.map((block, i) => [block, i]));
  const incoming = order.map((block) => numbersOf(before.get(block) ?? [], number));
  return new Tree(number, immediateDominators(incoming), order);
}

export function postDominatorTree(fn: IrFunction): DominatorTree {
  const reachable = reversePostOrder(fn);
  const before = predecessors(fn);
  const exits = reachable.filter((block) => successors(block).length === 0);
  // Walk backwards from the exits; blocks that were not met lie in regions without exit.
  const seen = new Set<IrBlock>();
  const order: IrBlock[] = [];
  const back = (block: IrBlock): IrBlock[] =>
    (before.get(block) ?? []).filter((p) => reachableSet.has(p) && !seen.has(p));
  const reachableSet = new Set(reachable);
  const roots: IrBlock[] = [];
  const walk = (root: IrBlock): void => {
    if (seen.has(root)) return;
    roots.push(root);
    const found = postOrder(root, back);
    for (const block of found) seen.add(block);
    order.push(...found);
  };
  exits.forEach(walk);
  for (let i = reachable.length - 1; i >= 0; i--) walk(reachable[i] as IrBlock);
  order.reverse();
  // Number 0 is the virtual exit.
  const number = new Map(order.map((block, i) => [block, i + 1]));
  const isRoot = new Set(roots);
  const incoming = [
    [],
    ...order.map((block) => {
      const list = numbersOf(successors(block), number);
      if (isRoot.has(block)) list.push(0);
      return list;
    }),
  ];
  return new Tree(number, immediateDominators(incoming), [null, ...order]);
}

function numbersOf(blocks: readonly IrBlock[], number: ReadonlyMap<IrBlock, number>): number[] {
  return blocks.flatMap((block) => number.get(block) ?? []);
}

/**
 * `incoming[i]` are the predecessors of node i in reverse post-order; node 0 is the root, its own dominator. -1: not
 * reached.
 */
export function immediateDominators(incoming: readonly (readonly number[])[]): Int32Array {
  const idom = new Int32Array(incoming.length).fill(-1);
  if (incoming.length === 0) return idom;
  idom[0] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (let node = 1; node < incoming.length; node++) {
      let best = -1;
      for (const predecessor of incoming[node] as readonly number[]) {
        if (idom[predecessor] === -1) continue;
        best = best === -1 ? predecessor : intersect(idom, predecessor, best);
      }
      if (best !== -1 && idom[node] !== best) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  return idom;
}

function intersect(idom: Int32Array, a: number, b: number): number {
  while (a !== b) {
    while (a > b) a = idom[a] as number;
    while (b > a) b = idom[b] as number;
  }
  return a;
}

class Tree implements DominatorTree {
  readonly #number: ReadonlyMap<IrBlock, number>;
  readonly #blocks: readonly (IrBlock | null)[];
  readonly #idom: Int32Array;
  readonly #children: IrBlock[][];
  readonly #depth: Int32Array;
  /** Entry and exit times of a walk over the tree: a dominates b when a's interval holds b's. */
  readonly #enter: Int32Array;
  readonly #leave: Int32Array;

  /** @param blocks by number; null is the virtual exit */
  constructor(number: ReadonlyMap<IrBlock, number>, idom: Int32Array, blocks: readonly (IrBlock | null)[]) {
    this.#number = number;
    this.#blocks = blocks;
    this.#idom = idom;
    const count = this.#blocks.length;
    const childNumbers: number[][] = Array.from({ length: count }, () => []);
    for (let i = 1; i < count; i++) childNumbers[idom[i] as number]?.push(i);
    this.#children = childNumbers.map((list) => list.flatMap((i) => this.#blocks[i] ?? []));
    this.#depth = new Int32Array(count);
    this.#enter = new Int32Array(count);
    this.#leave = new Int32Array(count);
    if (count === 0) return;
    let time = 0;
    const stack: { node: number; at: number }[] = [{ node: 0, at: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.at === 0) this.#enter[top.node] = time++;
      const child = childNumbers[top.node]?.[top.at++];
      if (child === undefined) {
        this.#leave[top.node] = time++;
        stack.pop();
      } else {
        this.#depth[child] = (this.#depth[top.node] as number) + 1;
        stack.push({ node: child, at: 0 });
      }
    }
  }

  immediate(block: IrBlock): IrBlock | null {
    const number = this.#number.get(block);
    return number === undefined || number === 0 ? null : (this.#blocks[this.#idom[number] as number] ?? null);
  }

  dominates(a: IrBlock, b: IrBlock): boolean {
    if (a === b) return true;
    const nb = this.#number.get(b);
    if (nb === undefined) return true;
    const na = this.#number.get(a);
    if (na === undefined) return false;
    return (
      (this.#enter[na] as number) <= (this.#enter[nb] as number) &&
      (this.#leave[na] as number) >= (this.#leave[nb] as number)
    );
  }

  children(block: IrBlock): readonly IrBlock[] {
    const number = this.#number.get(block);
    return number === undefined ? [] : (this.#children[number] ?? []);
  }

  depth(block: IrBlock): number {
    const number = this.#number.get(block);
    return number === undefined ? 0 : (this.#depth[number] as number);
  }

  isReachable(block: IrBlock): boolean {
    return this.#number.has(block);
  }

  common(a: IrBlock, b: IrBlock): IrBlock | null {
    const na = this.#number.get(a);
    const nb = this.#number.get(b);
    if (na === undefined) return b;
    if (nb === undefined) return a;
    return this.#blocks[intersect(this.#idom, na, nb)] ?? null;
  }
}

/** Whether the value of `definition` is there when `user` runs (as an operand that is not a phi's). */
export function dominatesUse(
  tree: DominatorTree,
  position: ReadonlyMap<IrInstruction, number>,
  definition: IrInstruction,
  user: IrInstruction,
): boolean {
  if (definition.block !== user.block) return tree.dominates(definition.block, user.block);
  return (position.get(definition) ?? -1) < (position.get(user) ?? 0);
}
