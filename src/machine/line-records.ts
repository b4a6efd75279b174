/**
 * The sectors and lines (32 and 128 aligned bytes) of global and local memory that warps touch: what
 * `llvm.nvvm.heddle.count.lines` keeps, for every engine.
 *
 * Two maps have a byte for each sector of global memory: whether it was read, and whether it was written.
 *
 * For a model of the caches there are records, too. One for each line that each request touches would fill any memory,
 * so what is kept is a sample: lines are drawn by a hash, and where one of 64 lines is still too many, multiprocessors
 * are drawn, too. Each part of the sample has a room of its own. When a room is full, its part is given up, and what is
 * left is a smaller sample of the whole launch. So the sample depends on what the launch touches alone, not on how
 * blocks are handed to threads.
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

/** In the map of writes: the sector is written; nothing has read it before. */
export const WRITTEN = 1;
export const WRITTEN_FIRST = 2;
/** … an atomic operation wrote it. */
export const ATOMIC = 4;
/** Times it, the four bits of a line's sectors become the lowest bits of four bytes. */
export const SPREAD_FACTOR = 0x00204081;

/**
 * Byte offsets at the beginning. lineClasses: lines of lower classes are recorded; 0: none are. multiprocessorLevels:
 * so are blocks of multiprocessors of lower levels. read, written: the addresses of the maps. cursors: a word for each
 * room. levels: a byte for each multiprocessor. Records lie behind, room after room.
 */
export const LINES_AT = {
  lineClasses: 0,
  multiprocessorLevels: 4,
  multiprocessors: 8,
  sequence: 12,
  read: 16,
  written: 20,
  cursors: 24,
  levels: 128,
  records: 384,
} as const;
/** With the records. */
export const LINES_BYTES: number = LINES_AT.records + ROOMS * ROOM_RECORDS * LINE_RECORD_BYTES;

/** Offsets of a record's words: `line << 6 | sectors << 2 | operation`, the block's number, the warp's, and when. */
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

/** What the last operand of `count.lines` says. */
export interface PackedLines {
  /** From 0 to 3. */
  readonly operation: number;
  /** Of one lane. */
  readonly bytes: number;
  /** Of local memory there are records only. */
  readonly space: LineSpace;
  /** Whether lines are recorded, or sectors marked only. */
  readonly isRecorded: boolean;
}

const LINE_SPACES = ["global", "generic", "local"] as const;
export type LineSpace = (typeof LINE_SPACES)[number];

export function packLines({ operation, bytes, space, isRecorded }: PackedLines): number {
  return operation | (bytes << 2) | (LINE_SPACES.indexOf(space) << 8) | (isRecorded ? 1 << 10 : 0);
}

export function unpackLines(packed: number): PackedLines {
  return {
    operation: packed & 3,
    bytes: (packed >> 2) & 63,
    space: LINE_SPACES[(packed >> 8) & 3] ?? "global",
    isRecorded: (packed & (1 << 10)) !== 0,
  };
}

/** One request of a warp. */
export interface LineRequest {
  /** Bit mask of the lanes that take part. */
  readonly lanes: number;
  readonly addresses: ArrayLike<number>;
  /** From 0 to 3. */
  readonly operation: number;
  readonly block: number;
  readonly warp: number;
  /** Whether addresses are those of `localLineAddress`. */
  readonly isLocal: boolean;
}

/** Beside the warp's number in a record: the line is one of local memory. */
export const LOCAL_LINE = 256;
/** Words of a thread's local memory that have lines of their own. */
export const LOCAL_WORDS = 4096;

/**
 * Word n of the lanes of a warp is a line of local memory. Its number is made of the word, the warp and the block: of
 * blocks that run at the same time no two have the same one, but for large local memories.
 */
export function localLineAddress(word: number, lane: number, warp: number, block: number): number {
  const line = Math.imul(block * 32 + warp, LOCAL_WORDS) + (word % LOCAL_WORDS);
  return (Math.imul(line, LINE_BYTES) + 4 * lane) >>> 0;
}

export function localWordOf(line: number): number {
  return line % LOCAL_WORDS;
}

/** Keeps what a request touches: the definition, which the interpreter and the thread tier use. */
export function noteLines(memory: ArrayBufferLike, start: number, request: LineRequest): void {
  const words = new Int32Array(memory);
  const touched = new Map<number, number>();
  for (let rest = request.lanes; rest !== 0; rest &= rest - 1) {
    const lane = 31 - Math.clz32(rest & -rest);
    const address = (request.addresses[lane] as number) >>> 0;
    const line = Math.floor(address / LINE_BYTES);
    const sector = Math.floor(address / SECTOR_BYTES) % SECTORS_OF_LINE;
    touched.set(line, (touched.get(line) ?? 0) | (1 << sector));
  }
  for (const [line, sectors] of touched) {
    if (!request.isLocal) markLine(words, start, line, sectors, request.operation);
    if (lineClass(line) < (words[(start + LINES_AT.lineClasses) / 4] as number))
      recordLine(words, start, line, sectors, request);
  }
}

const LOAD = 0;
const STORE = 1;

function markLine(words: Int32Array, start: number, line: number, sectors: number, operation: number): void {
  const place = (map: number): number => ((words[(start + map) / 4] as number) >>> 2) + line;
  const marks = Math.imul(sectors, SPREAD_FACTOR) & 0x01010101;
  const [read, written] = [place(LINES_AT.read), place(LINES_AT.written)];
  if (operation !== STORE) Atomics.or(words, read, marks);
  if (operation === LOAD) return;
  const untouched = ~((words[read] as number) | (words[written] as number)) & marks;
  Atomics.or(words, written, marks | (operation === STORE ? untouched * WRITTEN_FIRST : marks * ATOMIC));
}

function recordLine(words: Int32Array, start: number, line: number, sectors: number, request: LineRequest): void {
  const at = (offset: number): number => (start + offset) / 4;
  const own = lineClass(line);
  const multiprocessor = (request.block >>> 0) % (words[at(LINES_AT.multiprocessors)] as number);
  const level = new Uint8Array(words.buffer)[start + LINES_AT.levels + multiprocessor] as number;
  if (level >= (words[at(LINES_AT.multiprocessorLevels)] as number)) return;
  const room = own === 0 ? level : MULTIPROCESSOR_LEVELS - 1 + levelOf(own);
  const sequence = Atomics.add(words, at(LINES_AT.sequence), 1);
  const index = Atomics.add(words, at(LINES_AT.cursors) + room, 1);
  if (index >= ROOM_RECORDS) {
    if (own === 0) lower(words, at(LINES_AT.multiprocessorLevels), level);
    else lower(words, at(LINES_AT.lineClasses), 2 ** (levelOf(own) - 1));
    return;
  }
  const record = at(LINES_AT.records + (room * ROOM_RECORDS + index) * LINE_RECORD_BYTES);
  words[record] = (line << 6) | (sectors << 2) | request.operation;
  words[record + 1] = request.block;
  words[record + 2] = request.warp | (request.isLocal ? LOCAL_LINE : 0);
  words[record + 3] = sequence;
}

function lower(words: Int32Array, index: number, value: number): void {
  for (let was = Atomics.load(words, index); value < was;) {
    const seen = Atomics.compareExchange(words, index, was, value);
    if (seen === was) return;
    was = seen;
  }
}
