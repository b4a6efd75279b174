/**
 * Records of the lines (128 aligned bytes) of global memory that warps touch: what `llvm.nvvm.heddle.count.lines`
 * writes, for every engine. A model of the caches reads them.
 *
 * A record for each line that each request touches would fill any memory, so what is kept is a sample: lines are drawn
 * by a hash, and where one of 64 lines is still too many, multiprocessors are drawn, too. Each part of the sample has a
 * room of its own. When a room is full, its part is given up, and what is left is a smaller sample of the whole launch.
 * So the sample depends on what the launch touches alone, not on how blocks are handed to threads.
 */
export const LINE_BYTES = 128;
export const SECTORS_OF_LINE = 4;
const SECTOR_BYTES: number = LINE_BYTES / SECTORS_OF_LINE;

/** Lines are in one of 64 classes. Level 0 is class 0, level n the classes from 2^(n-1) to 2^n - 1. */
export const LINE_CLASSES = 64;
/** Multiprocessors are in one of 32 classes, with levels alike. They divide the lines of level 0. */
export const MULTIPROCESSOR_CLASSES = 32;
export const MULTIPROCESSOR_LEVELS = 6;
export const ROOMS: number = MULTIPROCESSOR_LEVELS + 6;
export const ROOM_RECORDS = 32768;
export const LINE_RECORD_BYTES = 16;
/** As many as there is room for in front of the records. */
export const MOST_MULTIPROCESSORS = 256;

/**
 * Byte offsets at the beginning. lineClasses: lines of lower classes are kept. multiprocessorLevels: so are blocks of
 * multiprocessors of lower levels. cursors: a word for each room. levels: a byte for each multiprocessor. Records lie
 * behind, room after room.
 */
export const LINES_AT = {
  lineClasses: 0,
  multiprocessorLevels: 4,
  multiprocessors: 8,
  sequence: 12,
  cursors: 16,
  levels: 64,
  records: 320,
} as const;
export const LINES_BYTES: number = LINES_AT.records + ROOMS * ROOM_RECORDS * LINE_RECORD_BYTES;

/** Offsets of a record's words: `line << 6 | sectors << 2 | operation`, the block's number, the warp's, and its place in time. */
export const LINE_RECORD_AT = { packed: 0, block: 4, warp: 8, sequence: 12 } as const;

/** Multiply, shift, multiply (Appleby, MurmurHash3's finalizer), so that lines at any distance are drawn alike. */
export const LINE_HASH = { first: 0x9e3779b1, shift: 15, second: 0x85ebca6b } as const;

export function lineClass(line: number): number {
  const mixed = Math.imul(line, LINE_HASH.first);
  return Math.imul(mixed ^ (mixed >>> LINE_HASH.shift), LINE_HASH.second) >>> (32 - Math.log2(LINE_CLASSES));
}

/** The level of a class. */
export function levelOf(index: number): number {
  return index === 0 ? 0 : 32 - Math.clz32(index);
}

/** The last operand of `count.lines`. @param operation from 0 to 3 */
export function packLines(operation: number, space: "global" | "generic"): number {
  return operation | (space === "generic" ? 1 << 8 : 0);
}

export function unpackLines(packed: number): { readonly operation: number; readonly space: "global" | "generic" } {
  return { operation: packed & 0xff, space: packed >> 8 === 0 ? "global" : "generic" };
}

/** One request of a warp. */
export interface LineRequest {
  /** Bit mask of the lanes that touch global memory. */
  readonly lanes: number;
  readonly addresses: ArrayLike<number>;
  /** From 0 to 3. */
  readonly operation: number;
  readonly block: number;
  readonly warp: number;
}

/** Writes the records of a request: the definition, which the interpreter and the thread tier use. */
export function noteLines(memory: ArrayBufferLike, start: number, request: LineRequest): void {
  const words = new Int32Array(memory, start, LINES_BYTES / 4);
  const bytes = new Uint8Array(memory, start, LINES_AT.records);
  const touched = new Map<number, number>();
  for (let rest = request.lanes; rest !== 0; rest &= rest - 1) {
    const lane = 31 - Math.clz32(rest & -rest);
    const address = (request.addresses[lane] as number) >>> 0;
    const line = Math.floor(address / LINE_BYTES);
    const sector = Math.floor(address / SECTOR_BYTES) % SECTORS_OF_LINE;
    touched.set(line, (touched.get(line) ?? 0) | (1 << sector));
  }
  for (const [line, sectors] of touched) {
    const own = lineClass(line);
    if (own >= (words[LINES_AT.lineClasses / 4] as number)) continue;
    const multiprocessor = (request.block >>> 0) % (words[LINES_AT.multiprocessors / 4] as number);
    const level = bytes[LINES_AT.levels + multiprocessor] as number;
    if (level >= (words[LINES_AT.multiprocessorLevels / 4] as number)) continue;
    const room = own === 0 ? level : MULTIPROCESSOR_LEVELS - 1 + levelOf(own);
    const sequence = Atomics.add(words, LINES_AT.sequence / 4, 1);
    const index = Atomics.add(words, LINES_AT.cursors / 4 + room, 1);
    if (index >= ROOM_RECORDS) {
      // Classes and levels only ever fall; of two threads that lower at once either is right soon.
      if (own === 0) lower(words, LINES_AT.multiprocessorLevels / 4, level);
      else lower(words, LINES_AT.lineClasses / 4, 2 ** (levelOf(own) - 1));
      continue;
    }
    const at = (LINES_AT.records + (room * ROOM_RECORDS + index) * LINE_RECORD_BYTES) / 4;
    words[at] = (line << 6) | (sectors << 2) | request.operation;
    words[at + 1] = request.block;
    words[at + 2] = request.warp;
    words[at + 3] = sequence;
  }
}

function lower(words: Int32Array, index: number, value: number): void {
  for (let was = Atomics.load(words, index); value < was;) {
    const seen = Atomics.compareExchange(words, index, was, value);
    if (seen === was) return;
    was = seen;
  }
}
