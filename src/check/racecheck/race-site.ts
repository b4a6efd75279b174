/** A site of racecheck: one access in the code, as reports and entries know it. */
import type { SiteOf } from "../../instrument/instrumenter.ts";
import type { ObjectName } from "../../instrument/pointer-bounds.ts";
import type { IrInstruction, IrValue } from "../../ir/model/ir.ts";
import type { FlowPlace } from "./access-order.ts";
import type { ConflictSet } from "./conflicts.ts";
import type { RaceAccess } from "./race-accesses.ts";

export interface RaceDetail extends FlowPlace {
  readonly kind: RaceAccess["kind"];
  readonly scope: RaceAccess["scope"];
  readonly volatile: boolean;
  /** Of what it reads or writes, where a report can give that. */
  readonly valueType: "int" | "float" | null;
  readonly bytes: number;
  readonly shared: boolean;
  /**
   * The pointer may be into shared or local memory, which blocks use one after the other: the code finds out at run
   * time.
   */
  readonly mayBeWindow: boolean;
  readonly pointer: IrValue;
  /** What every thread writes there, the same in all of the launch; null: not known to be. */
  readonly constant: IrValue | null;
  readonly object: ObjectName;
  readonly at: IrInstruction;
  readonly conflicts: ConflictSet;
  /** The function has happens-before tracking (ordered-kernels.ts). */
  readonly isOrdered: boolean;
  /** Shared memory may be another block's, of the same cluster. */
  readonly distributed: boolean;
}

export type RaceSite = SiteOf<RaceDetail>;
