/**
 * A small region of engine memory in which the lanes of a warp are laid out one after the other, for what vectors
 * cannot do: picking a lane by a number, and going through the active lanes one at a time.
 */
import type { IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { elementOf, isWide, partsOf, type Element } from "./element.ts";
import { SLICES } from "../../../analysis/lane-shape.ts";
import type { Values } from "./value-location.ts";

/** One slot holds a value of all lanes: 32 × 8 bytes. */
export const SLOT_BYTES = 256;
export const SCRATCH_SLOTS = 8;
/** How far apart the lanes of a load may be for it to be brought together (memory.ts). */
export const COMPACT_BYTES = 4096;
/** Loads that may be brought together before the first of them is used. */
export const COMPACT_REGIONS = 8;
/** The operands of a matrix product (matrix-products.ts) lie behind the loads that are brought together. */
export const MATRIX_SLOT: number = SCRATCH_SLOTS + (COMPACT_REGIONS * COMPACT_BYTES) / SLOT_BYTES;
const MATRIX_SLOTS = 12;
export const SCRATCH_BYTES: number = SLOT_BYTES * (MATRIX_SLOT + MATRIX_SLOTS) + 16;

/** Stores all lanes of a value (also a uniform one) into a slot. */
export function spillToSlot(f: FunctionBuilder, values: Values, scratch: number, value: IrValue, slot: number): void {
  const parts = partsOf(elementOf(value.type));
  for (let s = 0; s < SLICES; s++) {
    for (let p = 0; p < parts; p++) {
      f.globalGet(scratch);
      values.pushVector(value, s, p);
      f.v128Store(slot * SLOT_BYTES + (s * parts + p) * 16);
    }
  }
}

/** Loads the locals of a vector from a slot. */
export function reloadFromSlot(f: FunctionBuilder, locals: readonly Local[], scratch: number, slot: number): void {
  locals.forEach((local, n) =>
    f
      .globalGet(scratch)
      .v128Load(slot * SLOT_BYTES + n * 16)
      .localSet(local),
  );
}

/** Pushes the address of a lane's element (lane in a local); add the slot's offset in the access. */
export function pushLaneAddress(f: FunctionBuilder, scratch: number, lane: Local, element: Element): void {
  f.globalGet(scratch)
    .localGet(lane)
    .i32Const(isWide(element) ? 3 : 2)
    .i32Shl()
    .i32Add();
}

/** Pushes a lane's element of a slot as a scalar. */
export function loadLane(f: FunctionBuilder, scratch: number, lane: Local, element: Element, slot: number): void {
  pushLaneAddress(f, scratch, lane, element);
  const offset = slot * SLOT_BYTES;
  if (element === "i64") f.i64Load(offset);
  else if (element === "f64") f.f64Load(offset);
  else if (element === "f32") f.f32Load(offset);
  else {
    f.i32Load(offset);
    if (element === "i1") f.i32Const(1).i32And();
  }
}

/** Pops a scalar into a lane's element of a slot; `value` is a local of the scalar's type to hold it meanwhile. */
export function storeLane(
  f: FunctionBuilder,
  scratch: number,
  lane: Local,
  element: Element,
  slot: number,
  value: Local,
): void {
  f.localSet(value);
  pushLaneAddress(f, scratch, lane, element);
  f.localGet(value);
  const offset = slot * SLOT_BYTES;
  if (element === "i64") f.i64Store(offset);
  else if (element === "f64") f.f64Store(offset);
  else if (element === "f32") f.f32Store(offset);
  else {
    if (element === "i1") {
      // lanes of a mask are all ones
      f.localSet(value).i32Const(0).localGet(value).i32Sub();
    }
    f.i32Store(offset);
  }
}

/** `body` runs once for each lane whose bit is set in `mask`, lowest first; `lane` holds its number. */
export function forEachLane(f: FunctionBuilder, mask: Local, body: (lane: Local) => void): void {
  const left = f.local("i32");
  const lane = f.local("i32");
  f.localGet(mask).localSet(left);
  const done = f.block();
  const loop = f.loop();
  f.localGet(left).i32Eqz().brIf(done);
  f.localGet(left).i32Ctz().localSet(lane);
  f.localGet(left).localGet(left).i32Const(1).i32Sub().i32And().localSet(left);
  body(lane);
  f.br(loop);
  f.end(loop);
  f.end(done);
  f.free(left, lane);
}
