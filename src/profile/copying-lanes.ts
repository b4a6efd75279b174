/**
 * Which lanes of a cp.async with a source size take part in its accesses: only known when they run.
 *
 * An H200 makes no request for lanes that take nothing: a copy of nothing in all lanes has no request of global memory
 * (docs/lab/profile-cp-async.json).
 */
import { constI32 } from "../ir/model/build.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrValue } from "../ir/model/ir.ts";
import { ptrType } from "../ir/model/types.ts";

/** Lanes by the bytes that they take. */
export interface CopyingLanes {
  /** taking: they take something. filling: they take a part, and zeros for the rest. */
  readonly which: "taking" | "filling";
  readonly taken: IrValue;
  /** All that a lane can take. */
  readonly bytes: number;
  readonly to: IrValue;
  readonly from: IrValue;
}

/**
 * A generic address: of lanes that take part it lies in the space that counts, of the others in the other one. A lane
 * that takes reads global memory, and a lane that fills writes shared memory.
 */
export function pointerOfLanes(e: Emitter, { which, taken, bytes, to, from }: CopyingLanes): IrValue {
  const [shared, global] = [generic(e, to), generic(e, from)];
  if (which === "taking") return e.select(e.icmp("ne", taken, 0), global, shared);
  // 0 < taken < bytes
  return e.select(e.icmp("ult", e.sub(taken, constI32(1)), bytes - 1), shared, global);
}

function generic(e: Emitter, pointer: IrValue): IrValue {
  const { type } = pointer;
  if (type.kind !== "ptr" || type.addressSpace === 0) return pointer;
  return e.cast("addrspacecast", pointer, ptrType(0, type.bits));
}
