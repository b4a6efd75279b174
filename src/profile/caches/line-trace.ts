/** A trace of the lines of global and local memory that a launch touches, for the model of the caches. */
import { bug } from "../../base/diagnostics.ts";
import { constI32 } from "../../ir/model/build.ts";
import type { ObservedMemory } from "../../machine/observer.ts";
import {
  LINES_AT,
  LINES_BYTES,
  LINE_CLASSES,
  LINE_RECORD_AT,
  LINE_RECORD_BYTES,
  LOCAL_LINE,
  MOST_MULTIPROCESSORS,
  MULTIPROCESSOR_CLASSES,
  MULTIPROCESSOR_LEVELS,
  ROOMS,
  ROOM_RECORDS,
  levelOf,
  packLines,
  type LineSpace,
} from "../../machine/line-records.ts";
import type { IrValue } from "../../ir/model/ir.ts";
import type { AccessOperation, CountedAccess } from "../counted-accesses.ts";
import type { SectorMaps } from "../touched-sectors.ts";

/** Variable of the records, in modules. */
export const LINES = "lines";
/** An operation of a record is an index into it. */
export const LINE_OPERATIONS: readonly AccessOperation[] = ["load", "store", "atomic", "reduction"];

/** What `count.lines` gets of an access. */
export function lineOperand(
  { operation, bytes }: Pick<CountedAccess, "operation" | "bytes">,
  space: LineSpace,
  isRecorded: boolean,
): IrValue {
  return constI32(packLines({ operation: LINE_OPERATIONS.indexOf(operation), bytes, space, isRecorded }));
}

/** A sample of what a launch touches, in the order in which it was recorded. */
export interface LineTrace {
  readonly records: number;
  /** 128-byte lines, by number. */
  readonly lines: Uint32Array;
  /** Bit mask of the sectors of the line. */
  readonly sectors: Uint8Array;
  /** Index into LINE_OPERATIONS. */
  readonly operations: Uint8Array;
  readonly blocks: Uint32Array;
  readonly warps: Uint8Array;
  /** 1: the line is one of local memory. */
  readonly isLocal: Uint8Array;
  /** The part of all lines that the sample has. */
  readonly lineShare: number;
  /** Whether the blocks of a multiprocessor are in the sample. */
  hasMultiprocessor(index: number): boolean;
}

/** The records in the device's memory. */
export class LineTraces {
  readonly #memory: ObservedMemory;
  readonly #isRecorded: boolean;
  #levels: readonly number[] = [];
  readonly address: number;

  /** @param isRecorded else only the maps are kept */
  constructor(memory: ObservedMemory, maps: SectorMaps, isRecorded: boolean) {
    this.#memory = memory;
    this.#isRecorded = isRecorded;
    this.address = memory.allocate(isRecorded ? LINES_BYTES : LINES_AT.records);
    const words = this.#words();
    words[LINES_AT.read / 4] = maps.read;
    words[LINES_AT.written / 4] = maps.written;
  }

  /** Records what launches touch from now on. Block n runs on multiprocessor n modulo their number. */
  begin(multiprocessors: number): void {
    if (!this.#isRecorded) return;
    if (multiprocessors > MOST_MULTIPROCESSORS) bug(`a trace of more than ${MOST_MULTIPROCESSORS} multiprocessors`);
    this.#levels = Array.from({ length: multiprocessors }, (_, n) => levelOf(n % MULTIPROCESSOR_CLASSES));
    new Uint8Array(this.#memory.bytes.buffer, this.address + LINES_AT.levels).set(this.#levels);
    this.#words()[LINES_AT.multiprocessors / 4] = multiprocessors;
    this.#reset();
  }

  /** What was recorded since the last call. null: nothing is. */
  take(): LineTrace | null {
    if (this.#levels.length === 0) return null;
    const words = this.#words();
    const lineClasses = words[LINES_AT.lineClasses / 4] as number;
    const multiprocessorLevels = words[LINES_AT.multiprocessorLevels / 4] as number;
    const places = inOrder(words, lineClasses, multiprocessorLevels);
    const field = (offset: number) => (at: number) => words[at + offset / 4] as number;
    const packed = places.map(field(LINE_RECORD_AT.packed));
    const trace = {
      records: places.length,
      lines: packed.map((value) => value >>> 6),
      sectors: Uint8Array.from(packed, (value) => (value >>> 2) & 15),
      operations: Uint8Array.from(packed, (value) => value & 3),
      blocks: places.map(field(LINE_RECORD_AT.block)),
      warps: Uint8Array.from(places, (at) => field(LINE_RECORD_AT.warp)(at) & (LOCAL_LINE - 1)),
      isLocal: Uint8Array.from(places, (at) => Number((field(LINE_RECORD_AT.warp)(at) & LOCAL_LINE) !== 0)),
      lineShare: lineClasses / LINE_CLASSES,
      hasMultiprocessor: (index: number) => (this.#levels[index] as number) < multiprocessorLevels,
    };
    this.#reset();
    return trace;
  }

  #reset(): void {
    const words = this.#words();
    words[LINES_AT.sequence / 4] = 0;
    words.fill(0, LINES_AT.cursors / 4, LINES_AT.cursors / 4 + ROOMS);
    words[LINES_AT.lineClasses / 4] = LINE_CLASSES;
    words[LINES_AT.multiprocessorLevels / 4] = MULTIPROCESSOR_LEVELS;
  }

  #words(): Uint32Array {
    const bytes = this.#isRecorded ? LINES_BYTES : LINES_AT.records;
    return new Uint32Array(this.#memory.bytes.buffer, this.address, bytes / 4);
  }
}

/** Where the records are that belong to the sample, in the order of their sequence. */
function inOrder(words: Uint32Array, lineClasses: number, multiprocessorLevels: number): Uint32Array {
  const bySequence = new Uint32Array(words[LINES_AT.sequence / 4] as number);
  for (let room = 0; room < ROOMS; room++) {
    const lineLevel = room - MULTIPROCESSOR_LEVELS + 1;
    const isKept = lineLevel > 0 ? 2 ** (lineLevel - 1) < lineClasses : room < multiprocessorLevels;
    const count = isKept ? Math.min(ROOM_RECORDS, words[LINES_AT.cursors / 4 + room] as number) : 0;
    for (let n = 0; n < count; n++) {
      const at = (LINES_AT.records + LINE_RECORD_BYTES * (room * ROOM_RECORDS + n)) / 4;
      bySequence[words[at + LINE_RECORD_AT.sequence / 4] as number] = at;
    }
  }
  return bySequence.filter((at) => at !== 0);
}
