/** What a module's kernels can do at all: code that it needs no case for is not added. */
import type { IrFunction } from "../../ir/ir.ts";
import { isPrivate, raceAccessesOf } from "./race-accesses.ts";
import { isOrdering, synchronizationOf } from "./synchronization.ts";

export interface ModuleTraits {
  /** It has atomic or volatile accesses. */
  readonly atomics: boolean;
  /** It accesses parts of a word. */
  readonly bytewise: boolean;
  /** It has __syncwarp. */
  readonly warpSyncs: boolean;
  /** It has what can order accesses of different blocks. */
  readonly ordersBlocks: boolean;
}

export function traitsOf(functions: Iterable<IrFunction>): ModuleTraits {
  let [atomics, bytewise, warpSyncs, ordersBlocks] = [false, false, false, false];
  for (const fn of functions) {
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        const synchronization = synchronizationOf(i);
        if (synchronization === "warp" || synchronization === "lanes") warpSyncs = true;
        if (synchronization === "grid" || isOrdering(i)) ordersBlocks = true;
        for (const { pointer, kind, bytes } of raceAccessesOf(i)) {
          if (isPrivate(pointer)) continue;
          if (kind === "atomic" || kind === "atomic-read") atomics = true;
          if (bytes % 4 !== 0) bytewise = true;
        }
      }
    }
  }
  return { atomics, bytewise, warpSyncs, ordersBlocks };
}
