/**
 * What racecheck knows at run time, and how it lies in memory. libdevice/race.cu has the same layout.
 *
 * Time is counted in *intervals*. Every block gets a new number at its start and behind each barrier, every warp behind
 * each __syncwarp; the numbers run on over all blocks, which are carried out one after the other. For each word of
 * memory there are two *entries*, for its last write and its last read:
 *
 *     31 … 14  interval    13 … 4  thread in its block    3 … 0  flags
 *
 * and a word with the sites of both. An entry of 0 is older than everything.
 *
 * Where work on streams is followed, every piece of work has an interval of its own, below those of its blocks, for
 * what it does without any of these: entries tell the work as well.
 */

/** Bits of an entry. */
export const ENTRY = {
  intervalShift: 14,
  threadShift: 4,
  /** Thread in its block. */
  thread: 0x3ff0,
  /** Warp in its block. */
  warp: 0x3e00,
  /** The write is atomic; the read is. */
  atomic: 1,
  /** Several threads of one warp in this interval. */
  lanes: 2,
  /** Several warps in this interval. */
  warps: 4,
  /**
   * Several blocks in this launch; of a write without `atomic`: atomic in this interval, but other blocks must not take
   * it for atomic.
   */
  blocks: 8,
  flags: 15,
} as const;

/**
 * The word that names sites: two halves, for writes and for reads. Of each 8 bits are the number of the site
 * (RaceSites), 4 the bytes of the word that it accessed, and 4 those that the piece of work on a stream did, whoever of
 * its threads.
 */
export const SITES = { half: 0x0fff, readShift: 16, bytesShift: 8, workShift: 12, last: 0xff } as const;

export const INTERVALS: number = 1 << 18;

/** Words of the state. `works`: four words of stream-races.ts. */
export const STATE = {
  counter: 0,
  launch: 1,
  block: 2,
  round: 3,
  tag: 4,
  barriers: 5,
  claim: 6,
  ranges: 7,
  planes: 8,
  serial: 11,
  nodes: 12,
  exhausted: 13,
  gridBarriers: 14,
  works: 16,
  workStart: 17,
  warpRound: 32,
  range: 2144,
} as const;

/** Stretches of memory that can be forgotten one by one. */
export const MAX_RANGES = 4096;
export const STATE_BYTES: number = 4 * (STATE.range + 2 * MAX_RANGES);
export const STATE_VARIABLE = "race";
export const OWNERS_VARIABLE = "race_owners";

/**
 * What is kept of a block whose kernel is accounted for closely (ordered-kernels.ts), in its shared memory: words
 * (libdevice/race-order.cu, block_state).
 */
export const BLOCK_STATE = {
  round: 3,
  index: 8,
  warpRound: 9,
  threads: 73,
  threadWords: 10,
  threadInterval: 2,
} as const;
export const BLOCK_STATE_BYTES: number = 4 * (BLOCK_STATE.threads + 1024 * BLOCK_STATE.threadWords);
export const BLOCK_STATE_VARIABLE = "race_block";
/** Tables of libdevice/race-order.cu by their names, in bytes. */
export const ORDER_TABLES: Readonly<Record<string, number>> = {
  race_nodes: 32 << 17,
  race_marks: 4 * ((1 << 17) + 512),
  race_places: 80 << 14,
};
/** What it says of the two entries. */
export const ORDER_ANSWER = { writeRaces: 1, readRaces: 2, writeNarrow: 4, readNarrow: 8 } as const;

/** Shadow planes: last write, last read, sites. */
export const PLANES = { write: 0, read: 1, sites: 2, count: 3 } as const;

/**
 * Words of an example. `launch` takes the place of `block` where kernels are accounted for closely, `answer` that of
 * `round`.
 */
export const RACE_WORDS = {
  address: 0,
  write: 1,
  read: 2,
  sites: 3,
  own: 4,
  round: 5,
  block: 6,
  stored: 7,
  value: 8,
  answer: 5,
} as const;
