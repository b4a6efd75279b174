/** What a module's kernels can do at all: code that it needs no case for is not added. */
import type { IrFunction } from "../../ir/ir.ts";
import type { FunctionContext } from "../checker.ts";
import { calledFrom } from "../likely-kernels.ts";
import type { Uniformity } from "../uniformity.ts";
import { Conflicts } from "./conflicts.ts";
import { isOrdering, synchronizationOf } from "./synchronization.ts";

export interface ModuleTraits {
  /** It has __syncwarp. */
  readonly warpSyncs: boolean;
  /** It has what can order accesses of different blocks. */
  readonly ordersBlocks: boolean;
}

/** A module whose functions are instrumented. */
export class RaceModule {
  readonly traits: ModuleTraits;
  readonly #functions: readonly IrFunction[];
  readonly #uniformity: Uniformity;
  #ofAny: Conflicts | null = null;

  constructor(functions: ReadonlySet<IrFunction>, uniformity: Uniformity) {
    this.#functions = [...functions];
    this.#uniformity = uniformity;
    this.traits = traitsOf(functions);
  }

  conflictsOf({ function: fn, likely }: FunctionContext): Conflicts {
    const called = calledFrom(fn).filter((other) => this.#functions.includes(other));
    // What several kernels call has the same code for all of them, and keeps the same of each access.
    if (!fn.isKernel || called.length > 1) return (this.#ofAny ??= new Conflicts(this.#functions, { uniformity: this.#uniformity, count: null }));
    return new Conflicts(called, { uniformity: this.#uniformity, count: likely === null ? null : (limits) => likely.shape.limit(limits) });
  }
}

function traitsOf(functions: Iterable<IrFunction>): ModuleTraits {
  let [warpSyncs, ordersBlocks] = [false, false];
  for (const fn of functions) {
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        const synchronization = synchronizationOf(i);
        if (synchronization === "warp" || synchronization === "lanes") warpSyncs = true;
        if (synchronization === "grid" || isOrdering(i)) ordersBlocks = true;
      }
    }
  }
  return { warpSyncs, ordersBlocks };
}
