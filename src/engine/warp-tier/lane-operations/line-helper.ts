/** The out-of-line function that writes the records of lines that a warp touches (machine/line-records.ts). */
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

interface LineGlobals {
  readonly scratch: number;
  readonly block: number;
}

/** (mask, eight vectors of addresses, where the records are, operation, warp) */
export function buildNoteLines(module: ModuleBuilder, globals: LineGlobals): FunctionBuilder {
  const vectors = new Array<"v128">(SLICES).fill("v128");
  const code = module.function("note_lines", ["i32", ...vectors, "i32", "i32", "i32"], []);
  const [start, operation, warp] = [1 + SLICES, 2 + SLICES, 3 + SLICES];
  const left = code.local("i32");
  const line = code.local("i32");
  const same = code.local("i32");
  const own = code.local("i32");
  for (let s = 0; s < SLICES; s++)
    code
      .globalGet(globals.scratch)
      .localGet(1 + s)
      .v128Store(LANE_VALUES + 16 * s);
  code.localGet(0).localSet(left);
  const done = code.block();
  const again = code.loop();
  code.localGet(left).i32Eqz().brIf(done);
  code.localGet(left).i32Ctz().localSet(line);
  pushLaneAddress(code, globals.scratch, line, "i32");
  code.i32Load(LANE_VALUES).i32Const(LINE_SHIFT).i32ShrU().localSet(line);
  pushLanesOfLine(code, line);
  code.localGet(left).i32And().localTee(same);
  code.localGet(left).i32Xor().localSet(left);
  pushClass(code, line);
  code.localTee(own).localGet(start).i32Load(LINES_AT.lineClasses).i32GeU().brIf(again);
  keep(code, { start, operation, warp, line, same, own, again }, globals);
  code.br(again);
  code.end(again);
  code.end(done);
  code.free(left, line, same, own);
  return code;
}

/** Pushes the mask of the lanes whose address is in the line. */
function pushLanesOfLine(code: FunctionBuilder, line: Local): void {
  pushLanesThat(code, (s) =>
    code
      .localGet(1 + s)
      .i32Const(LINE_SHIFT)
      .i32x4ShrU()
      .localGet(line)
      .i32x4Splat()
      .i32x4Eq(),
  );
}

function pushLanesThat(code: FunctionBuilder, pushTest: (slice: number) => void): void {
  for (let s = 0; s < SLICES; s++) {
    pushTest(s);
    code.i32x4Bitmask();
    if (s > 0)
      code
        .i32Const((LANES / SLICES) * s)
        .i32Shl()
        .i32Or();
  }
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

interface Found {
  readonly start: Local;
  readonly operation: Local;
  readonly warp: Local;
  readonly line: Local;
  /** The lanes that touch it. */
  readonly same: Local;
  readonly own: Local;
  readonly again: Label;
}

/** Writes the record, or gives up its part of the sample. */
function keep(code: FunctionBuilder, found: Found, { block }: LineGlobals): void {
  const { start, operation, warp, line, same, own, again } = found;
  const level = code.local("i32");
  const room = code.local("i32");
  const index = code.local("i32");
  const sequence = code.local("i32");
  code.globalGet(block).localGet(start).i32Load(LINES_AT.multiprocessors).i32RemU();
  code.localGet(start).i32Add().i32Load8U(LINES_AT.levels).localTee(level);
  code.localGet(start).i32Load(LINES_AT.multiprocessorLevels).i32GeU().brIf(again);
  // The level of the class is one more than the place of its highest bit.
  code.localGet(level);
  code
    .i32Const(MULTIPROCESSOR_LEVELS + 31)
    .localGet(own)
    .i32Clz()
    .i32Sub();
  code.localGet(own).i32Eqz().select().localSet(room);
  code.localGet(start).i32Const(1).i32AtomicRmwAdd(LINES_AT.sequence).localSet(sequence);
  code.localGet(start).localGet(room).i32Const(2).i32Shl().i32Add();
  code.i32Const(1).i32AtomicRmwAdd(LINES_AT.cursors).localTee(index);
  code.i32Const(ROOM_RECORDS).i32GeU().if();
  code.localGet(own).i32Eqz().if();
  lower(code, start, LINES_AT.multiprocessorLevels, () => code.localGet(level));
  code.else();
  lower(code, start, LINES_AT.lineClasses, () =>
    code.i32Const(1).i32Const(31).localGet(own).i32Clz().i32Sub().i32Shl(),
  );
  code.end();
  code.br(again);
  code.end();
  code.localGet(room).i32Const(ROOM_RECORDS).i32Mul().localGet(index).i32Add();
  code.i32Const(Math.log2(LINE_RECORD_BYTES)).i32Shl().localGet(start).i32Add().localSet(index);
  const at = LINES_AT.records;
  code.localGet(index).localGet(line).i32Const(6).i32Shl().localGet(operation).i32Or();
  pushSectors(code, same);
  code
    .i32Const(2)
    .i32Shl()
    .i32Or()
    .i32Store(at + LINE_RECORD_AT.packed);
  code
    .localGet(index)
    .globalGet(block)
    .i32Store(at + LINE_RECORD_AT.block);
  code
    .localGet(index)
    .localGet(warp)
    .i32Store(at + LINE_RECORD_AT.warp);
  code
    .localGet(index)
    .localGet(sequence)
    .i32Store(at + LINE_RECORD_AT.sequence);
  code.free(level, room, index, sequence);
}

/** Stores the least of a word and a value. Another thread may undo it for a moment: the next full room does it again. */
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

/** Pushes a bit mask of the sectors that the lanes touch, all of one line. */
function pushSectors(code: FunctionBuilder, same: Local): void {
  for (let sector = 0; sector < SECTORS_OF_LINE; sector++) {
    pushLanesThat(code, (s) =>
      code
        .localGet(1 + s)
        .i32Const(Math.log2(SECTOR_BYTES))
        .i32x4ShrU()
        .i32Const(SECTORS_OF_LINE - 1)
        .i32x4Splat()
        .v128And()
        .i32Const(sector)
        .i32x4Splat()
        .i32x4Eq(),
    );
    code.localGet(same).i32And().i32Const(0).i32Ne();
    if (sector > 0) code.i32Const(sector).i32Shl().i32Or();
  }
}
