/** The out-of-line function that writes the records of the lines that a warp touches (machine/line-records.ts). */
import { LANES, SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import {
  LINES_AT,
  LINE_BYTES,
  LINE_CLASSES,
  LINE_HASH,
  LINE_RECORD_AT,
  LINE_RECORD_BYTES,
  MULTIPROCESSOR_LEVELS,
  ROOM_RECORDS,
  SECTORS_OF_LINE,
} from "../../../machine/line-records.ts";
import { SECTOR_BYTES } from "../../../machine/warp-counts.ts";
import type { FunctionBuilder, Label, Local } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import { COUNT_SLOT, SLOT_BYTES, pushLaneAddress } from "./lane-scratch.ts";

const LANE_VALUES = COUNT_SLOT * SLOT_BYTES;
const LINE_SHIFT: number = Math.log2(LINE_BYTES);
const SECTOR_SHIFT: number = Math.log2(SECTOR_BYTES);
const LANES_OF_SLICE: number = LANES / SLICES;
interface LineGlobals {
  readonly scratch: number;
  readonly block: number;
}

/** Parameters and variables of the function. */
interface Names {
  readonly mask: Local;
  readonly start: Local;
  readonly operation: Local;
  readonly warp: Local;
  readonly line: Local;
  /** The lanes that touch the line, and a bit mask of the sectors. */
  readonly same: Local;
  readonly sectors: Local;
  readonly lineClass: Local;
}

/** (mask, eight vectors of addresses, where the records are, operation, warp) */
export function buildNoteLines(module: ModuleBuilder, globals: LineGlobals): FunctionBuilder {
  const vectors = new Array<"v128">(SLICES).fill("v128");
  const code = module.function("note_lines", ["i32", ...vectors, "i32", "i32", "i32"], []);
  const variable = (): Local => code.local("i32");
  const names: Names = {
    mask: 0,
    start: 1 + SLICES,
    operation: 2 + SLICES,
    warp: 3 + SLICES,
    line: variable(),
    same: variable(),
    sectors: variable(),
    lineClass: variable(),
  };
  const { mask, line, same, lineClass } = names;
  const left = variable();
  const lane = variable();
  for (let s = 0; s < SLICES; s++)
    code
      .globalGet(globals.scratch)
      .localGet(1 + s)
      .v128Store(LANE_VALUES + 16 * s);
  fillInactiveLanes(code, names, globals);
  pushDrawnLanes(code, names);
  code.localGet(mask).i32And().localSet(left);
  const done = code.block();
  const again = code.loop();
  code.localGet(left).i32Eqz().brIf(done);
  code.localGet(left).i32Ctz().localSet(lane);
  pushLaneAddress(code, globals.scratch, lane, "i32");
  code.i32Load(LANE_VALUES).i32Const(LINE_SHIFT).i32ShrU().localSet(line);
  findLanes(code, names);
  code.localGet(left).localGet(same).i32Const(-1).i32Xor().i32And().localSet(left);
  pushClass(code, line);
  code.localSet(lineClass);
  keep(code, names, again, globals);
  code.br(again);
  code.end(again);
  code.end(done);
  return code;
}

/** Pushes the mask of the lanes whose lines are in the sample. */
function pushDrawnLanes(code: FunctionBuilder, { start }: Names): void {
  const mixed = code.local("v128");
  for (let s = 0; s < SLICES; s++) {
    code
      .localGet(1 + s)
      .i32Const(LINE_SHIFT)
      .i32x4ShrU();
    splat(code, LINE_HASH.first | 0)
      .i32x4Mul()
      .localTee(mixed);
    code.localGet(mixed).i32Const(LINE_HASH.shift).i32x4ShrU().v128Xor();
    splat(code, LINE_HASH.second | 0)
      .i32x4Mul()
      .i32Const(32 - Math.log2(LINE_CLASSES))
      .i32x4ShrU();
    code.localGet(start).i32Load(LINES_AT.lineClasses).i32x4Splat().i32x4LtU().i32x4Bitmask();
    if (s > 0)
      code
        .i32Const(LANES_OF_SLICE * s)
        .i32Shl()
        .i32Or();
  }
  code.free(mixed);
}

/** Lanes that take no part get the address of the first that does, so that they add no sectors. */
function fillInactiveLanes(code: FunctionBuilder, { mask }: Names, { scratch }: LineGlobals): void {
  const first = code.local("i32");
  const isPartial = code.block();
  code.localGet(mask).i32Const(-1).i32Eq().localGet(mask).i32Eqz().i32Or().brIf(isPartial);
  code.localGet(mask).i32Ctz().localSet(first);
  pushLaneAddress(code, scratch, first, "i32");
  code.i32Load(LANE_VALUES).localSet(first);
  for (let s = 0; s < SLICES; s++) {
    const [a, b, c, d] = [0, 1, 2, 3].map((lane) => (1 << (LANES_OF_SLICE * s + lane)) | 0) as [
      number,
      number,
      number,
      number,
    ];
    code
      .localGet(1 + s)
      .localGet(first)
      .i32x4Splat();
    code.localGet(mask).i32x4Splat().i32x4Const(a, b, c, d).v128And().i32x4Const(a, b, c, d).i32x4Eq();
    code.v128Bitselect().localSet(1 + s);
  }
  code.end(isPartial);
  code.free(first);
}

/** Pushes `lineClass(line)`. */
function pushClass(code: FunctionBuilder, line: Local): void {
  const mixed = code.local("i32");
  code
    .localGet(line)
    .i32Const(LINE_HASH.first | 0)
    .i32Mul()
    .localTee(mixed);
  code.localGet(mixed).i32Const(LINE_HASH.shift).i32ShrU().i32Xor();
  code
    .i32Const(LINE_HASH.second | 0)
    .i32Mul()
    .i32Const(32 - Math.log2(LINE_CLASSES))
    .i32ShrU();
  code.free(mixed);
}

/** The lanes that touch the line, and the sectors. */
function findLanes(code: FunctionBuilder, { line, same, sectors }: Names): void {
  const all = code.local("v128");
  const lanes = code.local("v128");
  code.i32x4Const(0, 0, 0, 0).localSet(all).i32Const(0).localSet(same);
  for (let s = 0; s < SLICES; s++) {
    code
      .localGet(1 + s)
      .i32Const(LINE_SHIFT)
      .i32x4ShrU()
      .localGet(line)
      .i32x4Splat()
      .i32x4Eq()
      .localSet(lanes);
    code.localGet(lanes).i32x4Bitmask();
    code
      .i32Const(LANES_OF_SLICE * s)
      .i32Shl()
      .localGet(same)
      .i32Or()
      .localSet(same);
    // 1 << sector in the lowest byte of each lane: an index from 16 on gives 0.
    code.v128Const([1, 2, 4, 8, ...new Array<number>(12).fill(0)]);
    code
      .localGet(1 + s)
      .i32Const(SECTOR_SHIFT)
      .i32x4ShrU();
    splat(code, SECTORS_OF_LINE - 1).v128And();
    splat(code, ~0xff).v128Or().i8x16Swizzle();
    code.localGet(lanes).v128And().localGet(all).v128Or().localSet(all);
  }
  code.i32Const(0);
  for (let lane = 0; lane < LANES_OF_SLICE; lane++) code.localGet(all).i32x4ExtractLane(lane).i32Or();
  code.localSet(sectors);
  code.free(all, lanes);
}

function splat(code: FunctionBuilder, value: number): FunctionBuilder {
  return code.i32x4Const(value, value, value, value);
}

/** Writes the record, or gives up its part of the sample. */
function keep(code: FunctionBuilder, names: Names, again: Label, { block }: LineGlobals): void {
  const { start, operation, warp, line, sectors, lineClass } = names;
  const level = code.local("i32");
  const room = code.local("i32");
  const index = code.local("i32");
  const sequence = code.local("i32");
  code.globalGet(block).localGet(start).i32Load(LINES_AT.multiprocessors).i32RemU();
  code.localGet(start).i32Add().i32Load8U(LINES_AT.levels).localTee(level);
  code.localGet(start).i32Load(LINES_AT.multiprocessorLevels).i32GeU().brIf(again);
  // The level of a class is one more than the place of its highest bit.
  code.localGet(level);
  code
    .i32Const(MULTIPROCESSOR_LEVELS + 31)
    .localGet(lineClass)
    .i32Clz()
    .i32Sub();
  code.localGet(lineClass).i32Eqz().select().localSet(room);
  code.localGet(start).i32Const(1).i32AtomicRmwAdd(LINES_AT.sequence).localSet(sequence);
  code.localGet(start).localGet(room).i32Const(2).i32Shl().i32Add();
  code.i32Const(1).i32AtomicRmwAdd(LINES_AT.cursors).localTee(index);
  code.i32Const(ROOM_RECORDS).i32GeU().if();
  code.localGet(lineClass).i32Eqz().if();
  lower(code, start, LINES_AT.multiprocessorLevels, () => code.localGet(level));
  code.else();
  lower(code, start, LINES_AT.lineClasses, () =>
    code.i32Const(1).i32Const(31).localGet(lineClass).i32Clz().i32Sub().i32Shl(),
  );
  code.end();
  code.br(again);
  code.end();
  code.localGet(room).i32Const(ROOM_RECORDS).i32Mul().localGet(index).i32Add();
  code.i32Const(Math.log2(LINE_RECORD_BYTES)).i32Shl().localGet(start).i32Add().localSet(index);
  const store = (offset: number, push: () => void): void => {
    code.localGet(index);
    push();
    code.i32Store(LINES_AT.records + offset);
  };
  store(LINE_RECORD_AT.packed, () => {
    code.localGet(line).i32Const(6).i32Shl().localGet(operation).i32Or();
    code.localGet(sectors).i32Const(2).i32Shl().i32Or();
  });
  store(LINE_RECORD_AT.block, () => code.globalGet(block));
  store(LINE_RECORD_AT.warp, () => code.localGet(warp));
  store(LINE_RECORD_AT.sequence, () => code.localGet(sequence));
  code.free(level, room, index, sequence);
}

/** Stores the least of a word and a value. Another thread may undo it: the next full room does it again. */
function lower(code: FunctionBuilder, start: Local, offset: number, push: () => void): void {
  const value = code.local("i32");
  push();
  code.localSet(value);
  code.localGet(start);
  code.localGet(value).localGet(start).i32Load(offset);
  code.localGet(value).localGet(start).i32Load(offset).i32LtU().select();
  code.i32Store(offset);
  code.free(value);
}
