/** Which loads and stores are done together as one vector access. */
import type { IrValue, LoadInstruction, StoreInstruction } from "../../../ir/ir.ts";

export interface MemoryGroup<T> {
  /** The instruction in whose place the access is: the first load, the last store. */
  readonly leader: T;
  /** By address: 2 or 4. */
  readonly members: readonly T[];
  /** The address of the whole: an offset from a pointer that the leader's place knows. */
  readonly pointer: IrValue;
  readonly offset: number;
}

export interface MemoryGroups {
  readonly loads: ReadonlyMap<LoadInstruction, MemoryGroup<LoadInstruction>>;
  readonly stores: ReadonlyMap<StoreInstruction, MemoryGroup<StoreInstruction>>;
  /** Loads of what nobody writes while the kernel runs: they may go through the read-only cache. */
  readonly readOnly: ReadonlySet<LoadInstruction>;
}

export const NO_GROUPS: MemoryGroups = { loads: new Map(), stores: new Map(), readOnly: new Set() };
