/**
 * Marks the sectors of global memory that a warp touches, a byte for each in a map of what is read and in one of what
 * is written (machine/line-records.ts). Where lanes lie at constant distances, runs of sectors are marked at once.
 */
import { SLICES, offsetsOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { IrValue } from "../../../ir/model/ir.ts";
import { ATOMIC, LINES_AT, WRITTEN, WRITTEN_FIRST } from "../../../machine/line-records.ts";
import { SECTOR_BYTES } from "../../../machine/warp-counts.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import { COUNT_SLOT, SLOT_BYTES, forEachLane, pushLaneAddress, shuffleToBefore } from "./lane-scratch.ts";
import type { CountContext } from "./counting.ts";

const LANE_VALUES = COUNT_SLOT * SLOT_BYTES;
const SECTOR_SHIFT: number = Math.log2(SECTOR_BYTES);
const LOAD = 0;
const STORE = 1;
/** More runs than these are marked lane by lane. */
const MOST_RUNS = 8;

/** Sectors side by side, from that of the lane at `from` to that of the lane at `to`, in bytes from lane 0 on. */
interface Run {
  readonly from: number;
  to: number;
}

/** The runs of all 32 lanes; null: their distances are not constant, or there are too many runs. */
export function sectorRuns({ values }: CountContext, address: IrValue): readonly Run[] | null {
  const offsets = offsetsOf(values.context.shapeOf(address));
  if (offsets === null) return null;
  const runs: Run[] = [];
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    // A step up to a sector leaves no sector out.
    if (last !== undefined && offset - last.to <= SECTOR_BYTES) last.to = offset;
    else runs.push({ from: offset, to: offset });
  }
  return runs.length > MOST_RUNS ? null : runs;
}

/** @param start where the addresses of the maps are */
export function markRuns(
  { code, values }: CountContext,
  address: IrValue,
  runs: readonly Run[],
  { start, operation }: { readonly start: number; readonly operation: number },
): void {
  const base = code.local("i32");
  const last = code.local("i32");
  const read = code.local("i32");
  const written = code.local("i32");
  values.pushScalar(address);
  code.localSet(base);
  const pushPlace = (map: number, offset: number): void => {
    code.localGet(base).i32Const(offset).i32Add().i32Const(SECTOR_SHIFT).i32ShrU();
    code.i32Const(start).i32Load(map).i32Add();
  };
  for (const { from, to } of runs) {
    // As many are touched at least, and at most one more: the last.
    const sure = 1 + Math.floor((to - from) / SECTOR_BYTES);
    const mark = (at: Local, offset: number, bytes: number): void => {
      if (operation !== STORE) pushOnes(code.localGet(at), bytes, offset);
      if (operation !== LOAD) markWritten(code, { read: at, written }, { offset, bytes, isStore: operation === STORE });
    };
    pushPlace(LINES_AT.read, from);
    code.localSet(read);
    if (operation !== LOAD) {
      pushPlace(LINES_AT.written, from);
      code.localSet(written);
    }
    let done = 0;
    for (const bytes of [8, 4, 2, 1]) for (; sure - done >= bytes; done += bytes) mark(read, done, bytes);
    if (to === from) continue;
    pushPlace(LINES_AT.read, to);
    code.localSet(last);
    if (operation !== LOAD) {
      pushPlace(LINES_AT.written, to);
      code.localSet(written);
    }
    mark(last, 0, 1);
  }
  code.free(base, last, read, written);
}

/** Pops an address, and stores a one in each of so many bytes. */
function pushOnes(code: FunctionBuilder, bytes: number, offset: number): void {
  if (bytes === 8) code.i64Const(0x0101010101010101n).i64Store(offset);
  else if (bytes === 4) code.i32Const(0x01010101).i32Store(offset);
  else if (bytes === 2) code.i32Const(0x0101).i32Store16(offset);
  else code.i32Const(1).i32Store8(offset);
}

interface MarkedBytes {
  readonly offset: number;
  readonly bytes: number;
  readonly isStore: boolean;
}

/** written |= WRITTEN, WRITTEN_FIRST of what a store finds neither read nor written, and ATOMIC of what is no store. */
function markWritten(
  code: FunctionBuilder,
  { read, written }: { readonly read: Local; readonly written: Local },
  { offset, bytes, isStore }: MarkedBytes,
): void {
  const ones = 0x0101010101010101n & (2n ** BigInt(8 * bytes) - 1n);
  const load = (at: Local): FunctionBuilder => {
    code.localGet(at);
    if (bytes === 8) return code.i64Load(offset);
    if (bytes === 4) return code.i64Load32U(offset);
    return bytes === 2 ? code.i64Load16U(offset) : code.i64Load8U(offset);
  };
  code.localGet(written);
  load(written)
    .i64Const(ones * BigInt(isStore ? WRITTEN : WRITTEN | ATOMIC))
    .i64Or();
  if (isStore) {
    load(written);
    load(read).i64Or().i64Const(-1n).i64Xor().i64Const(ones).i64And();
    code
      .i64Const(BigInt(Math.log2(WRITTEN_FIRST)))
      .i64Shl()
      .i64Or();
  }
  if (bytes === 8) code.i64Store(offset);
  else if (bytes === 4) code.i64Store32(offset);
  else if (bytes === 2) code.i64Store16(offset);
  else code.i64Store8(offset);
}

/** (mask, eight vectors of addresses, where the addresses of the maps are): marks lane by lane. */
export function buildMarkLanes(
  module: ModuleBuilder,
  name: string,
  operation: number,
  scratch: number,
): FunctionBuilder {
  const vectors = new Array<"v128">(SLICES).fill("v128");
  const code = module.function(name, ["i32", ...vectors, "i32"], []);
  const start = 1 + SLICES;
  const sector = code.local("i32");
  const before = code.local("i32");
  const read = code.local("i32");
  const written = code.local("i32");
  for (let s = 0; s < SLICES; s++)
    code
      .globalGet(scratch)
      .localGet(1 + s)
      .v128Store(LANE_VALUES + 16 * s);
  code.i32Const(-1).localSet(before);
  keepChanges(code);
  forEachLane(code, 0, (lane) => {
    pushLaneAddress(code, scratch, lane, "i32");
    code.i32Load(LANE_VALUES).i32Const(SECTOR_SHIFT).i32ShrU().localTee(sector);
    code.localGet(before).i32Ne().if();
    code.localGet(sector).localTee(before).localGet(start).i32Load(LINES_AT.read).i32Add().localSet(read);
    if (operation !== STORE) pushOnes(code.localGet(read), 1, 0);
    if (operation !== LOAD) {
      code.localGet(sector).localGet(start).i32Load(LINES_AT.written).i32Add().localSet(written);
      markWritten(code, { read, written }, { offset: 0, bytes: 1, isStore: operation === STORE });
    }
    code.end();
  });
  code.free(sector, before, read, written);
  return code;
}

/** Of a full mask, leaves the lanes whose sector is another one than that of the lane before them. */
function keepChanges(code: FunctionBuilder): void {
  const sectors = code.local("v128");
  const earlier = code.local("v128");
  code.localGet(0).i32Const(-1).i32Eq().if();
  code.i32Const(1);
  for (let s = 0; s < SLICES; s++) {
    if (s > 0) code.localGet(sectors).localSet(earlier);
    code
      .localGet(1 + s)
      .i32Const(SECTOR_SHIFT)
      .i32x4ShrU()
      .localSet(sectors);
    code.localGet(s === 0 ? sectors : earlier).localGet(sectors);
    shuffleToBefore(code, s);
    code.localGet(sectors).i32x4Ne().i32x4Bitmask();
    code
      .i32Const(4 * s)
      .i32Shl()
      .i32Or();
  }
  code.localSet(0).end();
  code.free(sectors, earlier);
}
