/**
 * What racecheck knows at run time, and how it lies in memory. libdevice/race.cu has the same layout.
 *
 * Time is counted in *intervals*. Every block gets a new number at its start and behind each barrier, every warp behind
 * each __syncwarp. The numbers run on over all blocks, because blocks run one after the other. A *round* of a block is
 * what lies between two of its barriers. For each word of memory there are two *entries*, for its last write and its
 * last read, and a word with the sites of both:
 *
 *     31 … 14  interval    13 … 4  thread in its block    3 … 0  flags
 *
 * An entry is what a thread looks at when it accesses the word. For that thread it is in one of these states
 * (entry-order.ts):
 *
 *     state        the entry was made                                 ordered before the access?
 *     old          before this launch, or never (0)                   yes
 *     settled      by this block, before its last barrier             yes
 *     mine         in this round, by this thread alone                yes
 *     synced       in this round, by this warp, before a __syncwarp   yes
 *     concurrent   in this round, by another thread or several        no: race between lanes or warps
 *     foreign      in this launch, by another block or several        no: race between blocks, except in shared memory
 *
 * The flags say that an entry stands for several threads: `lanes` of one warp, several `warps`, several `blocks`. So an
 * entry of this thread that others share is still concurrent. `atomic` says that atomic operations do not race with it.
 * Two accesses also do not race where they share no byte of the word, and where both write the same constant.
 *
 * An access looks at the entries, reports a race, and leaves an entry (word-transition.ts):
 *
 *     access        races with                                        leaves
 *     write         concurrent and foreign writes and reads           last write: mine, no flags
 *     read          concurrent and foreign writes                     last read: see below
 *     atomic        as a write, with entries that are not `atomic`    last write: see below, `atomic`
 *     atomic read   as a read, with entries that are not `atomic`     last read: see below, `atomic`
 *
 * Below: a concurrent entry stays, so that it is still there until the next barrier, and is marked: `lanes` if it is of
 * the same warp, else `warps`; a plain access takes `atomic` away. Every other entry is replaced by mine. Mine keeps
 * `lanes` and `warps` of the own entry before it, and has `blocks` where the one before it was foreign. Without writes
 * by the block that race, a read is simply replaced: to other blocks one thread is as good as another.
 *
 * `atomic` depends on the scope, and on what stands there already. Behind plain accesses of this thread in this round
 * an atomic operation leaves no flag, so that others' atomic operations still race with those. Behind plain accesses of
 * this block, or with block scope, it leaves `blocks` without `atomic`: atomic for this block, plain for the others.
 * The entry then names the site of the plain access.
 *
 * In functions with happens-before tracking (ordered-kernels.ts) blocks may take turns, and more than barriers orders
 * threads. There a table says which block made an entry, and libdevice/race-order.cu decides about what looks like a
 * race.
 *
 * Shared memory is the block's own, and what other blocks have left there does not count. Where a kernel reaches shared
 * memory of other blocks of its cluster, entries there are foreign, too, if they were made since the cluster began.
 *
 * Where work on streams is followed, every piece of work has an interval of its own, below those of its blocks, for
 * what no block of it does. So an entry also says which piece of work made it.
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
   * Several blocks in this launch. Of a write without `atomic`: atomic for this block in this interval, plain for other
   * blocks.
   */
  blocks: 8,
  flags: 15,
} as const;

/**
 * The word that names sites: two halves, for writes and for reads. Of each 8 bits are the number of the site
 * (RaceSites), 4 the bytes of the word that it accessed, and 4 the bytes that any thread of the piece of work on a
 * stream accessed.
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
 * The state of a block whose kernel has happens-before tracking (ordered-kernels.ts), in its shared memory: words
 * (libdevice/race-order.cu, block_state).
 */
export const BLOCK_STATE = {
  /** First entry of the block's cluster. */
  start: 2,
  round: 3,
  index: 8,
  warpRound: 10,
  threads: 74,
  threadWords: 11,
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
/** What libdevice/race-order.cu answers about the two entries. */
export const ORDER_ANSWER = { writeRaces: 1, readRaces: 2, writeNarrow: 4, readNarrow: 8 } as const;

/** Shadow planes: last write, last read, sites. */
export const PLANES = { write: 0, read: 1, sites: 2, count: 3 } as const;

/**
 * Words of an example. With happens-before tracking, `block` is the number of the block, and `answer` stands in the
 * place of `round`.
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
