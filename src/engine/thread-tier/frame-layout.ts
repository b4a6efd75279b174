/**
 * Which values of a function have a slot in its frame, and where. Also what the warp tier needs to hand a running
 * thread over.
 */
import type { IrBlock, IrValue } from "../../ir/model/ir.ts";
import { leavesOf, storageBytes, wasmTypeOf, type ScalarValueType } from "../emit/value-types.ts";
import { FRAME } from "./layout.ts";
import type { LiveValue } from "./segments.ts";

/**
 * The frame of a kernel function as others may fill it: store `resumePc(block)` at offset 0, every live-in value of the
 * block (its phis included) in its slot, and the thread goes on there when it is run.
 */
export interface FrameLayout {
  readonly frameBytes: number;
  /**
   * Offset of a leaf of a value; null when it needs no slot (kernel parameters, static allocas, values never live
   * there).
   */
  slotOffset(value: IrValue, component?: number): number | null;
  resumePc(block: IrBlock): number;
  /** Values that must be in their slots when the thread goes on at `block`. */
  liveIn(block: IrBlock): readonly LiveValue[];
}

export interface Slot {
  readonly offset: number;
  readonly type: ScalarValueType;
}

/** Gives every value of `spilled` slots after `reserved` leaves of arguments or results. */
export function layOutSlots(
  spilled: Iterable<LiveValue>,
  reserved: number,
): { slots: Map<LiveValue, readonly Slot[]>; frameBytes: number } {
  const slots = new Map<LiveValue, readonly Slot[]>();
  let wide = FRAME.values + 8 * reserved;
  const narrow: { value: LiveValue; index: number; type: ScalarValueType }[] = [];
  const pending = new Map<LiveValue, Slot[]>();
  for (const value of spilled) {
    const list: Slot[] = [];
    pending.set(value, list);
    leavesOf(value.type).forEach((leaf, index) => {
      const type = wasmTypeOf(leaf);
      if (storageBytes(type) === 8) {
        list[index] = { offset: wide, type };
        wide += 8;
      } else narrow.push({ value, index, type });
    });
  }
  let end = wide;
  for (const { value, index, type } of narrow) {
    (pending.get(value) as Slot[])[index] = { offset: end, type };
    end += 4;
  }
  for (const [value, list] of pending) slots.set(value, list);
  return { slots, frameBytes: (end + 15) & ~15 };
}
