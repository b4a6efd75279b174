/** The order in which a thread comes by two places of a function, with nothing in between that orders threads: what a program means to do first. */
import { successors } from "../../ir/cfg.ts";
import type { IrFunction } from "../../ir/ir.ts";
import { synchronizationOf } from "./synchronization.ts";

interface FlowBlock { readonly first: number; readonly last: number; readonly barriers: readonly Barrier[]; readonly next: readonly number[] }
interface Barrier { readonly order: number; readonly among: Among }
type Among = "warp" | "block" | "grid";

const WIDTH: Readonly<Record<Among, number>> = { warp: 0, block: 1, grid: 2 };

/** Instructions are numbered from 1, blocks in their order. */
export class FunctionFlow {
  readonly #blocks: readonly FlowBlock[];

  constructor(fn: IrFunction) {
    let order = 0;
    const indices = new Map(fn.blocks.map((block, index) => [block, index]));
    this.#blocks = fn.blocks.map((block) => {
      const first = order + 1;
      const barriers: Barrier[] = [];
      for (const i of block.instructions) {
        order++;
        const kind = synchronizationOf(i);
        if (kind === "grid") barriers.push({ order, among: "grid" });
        if (kind === "block" || kind === "part") barriers.push({ order, among: "block" });
        if (kind === "warp" || kind === "lanes") barriers.push({ order, among: "warp" });
      }
      return { first, last: order, barriers, next: successors(block).map((target) => indices.get(target) as number) };
    });
  }

  /** Whether a thread can get from one instruction to another (the same: around a loop) with no barrier in between that keeps the two apart. @param among lanes of a warp, warps of a block, blocks. */
  reaches(from: number, to: number, among: Among): boolean {
    const start = this.#blocks.findIndex(({ first, last }) => from >= first && from <= last);
    const seen = new Set<number>();
    const work: [block: number, after: number][] = [[start, from]];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      const [index, after] = at;
      const block = this.#blocks[index] as FlowBlock;
      const barrier = block.barriers.find((barrier) => barrier.order > after && WIDTH[barrier.among] >= WIDTH[among])?.order ?? Infinity;
      if (to > after && to <= block.last && to < barrier) return true;
      if (barrier !== Infinity) continue;
      for (const next of block.next) {
        if (seen.has(next)) continue;
        seen.add(next);
        work.push([next, (this.#blocks[next] as FlowBlock).first - 1]);
      }
    }
    return false;
  }
}
