/**
 * A small region of engine memory with the lanes of a warp one after the other, for operations that vectors lack:
 * taking the lane with a computed number, and going through the active lanes one at a time.
 */
import type { IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { elementOf, isWide, partsOf, type Element } from "./element.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Values } from "./value-location.ts";

/** One slot holds a value of all lanes: 32 × 8 bytes. */
export const SLOT_BYTES = 256;
export const SCRATCH_SLOTS = 8;
/** The greatest distance between the lanes of a load that is copied together (slice-loads.ts). */
export const COMPACT_BYTES = 4096;
/** Room for deferred loads that are copied together before the first of them is used. */
export const COMPACT_ROOM: number = 8 * COMPACT_BYTES;
/** Behind the slots of the scratch region. */
export const COMPACT_OFFSET: number = SLOT_BYTES * SCRATCH_SLOTS;
/** The operands of a matrix product (matrix-products.ts) lie behind the loads that are copied together. */
export const MATRIX_SLOT: number = SCRATCH_SLOTS + COMPACT_ROOM / SLOT_BYTES;
const MATRIX_SLOTS = 16;
/** What counting an access needs (count-helpers.ts) lies behind them, in kernels that count. */
export const COUNT_SLOT: number = MATRIX_SLOT + MATRIX_SLOTS;
export const SCRATCH_BYTES: number = SLOT_BYTES * COUNT_SLOT + 16;

/**
 * Memory behind all that: where groups of loads and of stores lie, if their own places are not legal for all lanes
 * (grouped-slice-loads.ts, store-groups.ts). It is as large as the block that needs most.
 */
export class GroupRoom {
  readonly begin: number;
  #mostBytes = 0;
  #used = 0;

  constructor(begin: number) {
    this.begin = begin;
  }

  /** The end of the scratch region. */
  get end(): number {
    return this.begin + this.#mostBytes;
  }

  beginBlock(): void {
    this.#used = 0;
  }

  /** Bytes for the rest of the block; where they begin in the scratch region. Null where there is no place. */
  take(bytes: number): number | null {
    if (this.#used + roundUp16(bytes) > GROUP_ROOM) return null;
    const [begin] = this.takeForNow([bytes]);
    this.#used += roundUp16(bytes);
    return begin!;
  }

  /** Where pieces of so many bytes begin. They are free again when anything else is taken. */
  takeForNow(pieces: readonly number[]): readonly number[] {
    let end = this.#used;
    const begins = pieces.map((bytes) => {
      end += roundUp16(bytes);
      return this.begin + end - roundUp16(bytes);
    });
    this.#mostBytes = Math.max(this.#mostBytes, end);
    return begins;
  }
}

/** For the groups of loads of a block, in bytes. */
const GROUP_ROOM = 128 * 1024;

export const roundUp16 = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/** Stores all lanes of a value (also a uniform one) into a slot. */
export function spillToSlot(
  code: FunctionBuilder,
  values: Values,
  scratch: number,
  value: IrValue,
  slot: number,
): void {
  const parts = partsOf(elementOf(value.type));
  for (let s = 0; s < SLICES; s++) {
    for (let p = 0; p < parts; p++) {
      code.globalGet(scratch);
      values.pushVector(value, s, p);
      code.v128Store(slot * SLOT_BYTES + (s * parts + p) * 16);
    }
  }
}

/** Loads the locals of a vector from a slot. */
export function reloadFromSlot(code: FunctionBuilder, locals: readonly Local[], scratch: number, slot: number): void {
  locals.forEach((local, n) =>
    code
      .globalGet(scratch)
      .v128Load(slot * SLOT_BYTES + n * 16)
      .localSet(local),
  );
}

/** Pushes the address of a lane's element (lane in a local); add the slot's offset in the access. */
export function pushLaneAddress(code: FunctionBuilder, scratch: number, lane: Local, element: Element): void {
  code
    .globalGet(scratch)
    .localGet(lane)
    .i32Const(isWide(element) ? 3 : 2)
    .i32Shl()
    .i32Add();
}

/** Pushes a lane's element of a slot as a scalar. */
export function loadLane(code: FunctionBuilder, scratch: number, lane: Local, element: Element, slot: number): void {
  pushLaneAddress(code, scratch, lane, element);
  const offset = slot * SLOT_BYTES;
  if (element === "i64") code.i64Load(offset);
  else if (element === "f64") code.f64Load(offset);
  else if (element === "f32") code.f32Load(offset);
  else {
    code.i32Load(offset);
    if (element === "i1") code.i32Const(1).i32And();
  }
}

/** Pops a scalar into a lane's element of a slot; `value` is a local of the scalar's type to hold it meanwhile. */
export function storeLane(
  code: FunctionBuilder,
  scratch: number,
  lane: Local,
  element: Element,
  slot: number,
  value: Local,
): void {
  code.localSet(value);
  pushLaneAddress(code, scratch, lane, element);
  code.localGet(value);
  const offset = slot * SLOT_BYTES;
  if (element === "i64") code.i64Store(offset);
  else if (element === "f64") code.f64Store(offset);
  else if (element === "f32") code.f32Store(offset);
  else {
    if (element === "i1") {
      // lanes of a mask are all ones
      code.localSet(value).i32Const(0).localGet(value).i32Sub();
    }
    code.i32Store(offset);
  }
}

/** `body` runs once for each lane whose bit is set in `mask`, lowest first; `lane` holds its number. */
export function forEachLane(code: FunctionBuilder, mask: Local, body: (lane: Local) => void): void {
  const left = code.local("i32");
  const lane = code.local("i32");
  code.localGet(mask).localSet(left);
  const done = code.block();
  const loop = code.loop();
  code.localGet(left).i32Eqz().brIf(done);
  code.localGet(left).i32Ctz().localSet(lane);
  code.localGet(left).localGet(left).i32Const(1).i32Sub().i32And().localSet(left);
  body(lane);
  code.br(loop);
  code.end(loop);
  code.end(done);
  code.free(left, lane);
}

/** Pops the slice before a slice and the slice: pushes the value of the lane before each lane. */
export function shuffleToBefore(code: FunctionBuilder, slice: number): void {
  // Lane 0 stands before itself: its slice is given twice.
  const first = slice === 0 ? 16 : 12;
  code.i8x16Shuffle([
    ...[0, 1, 2, 3].map((byte) => first + byte),
    ...Array.from({ length: 12 }, (_, byte) => 16 + byte),
  ]);
}
