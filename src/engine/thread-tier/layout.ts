/**
 * Where the thread tier keeps things in engine memory.
 *
 * Thread context: CONTEXT_BYTES for each thread, filled by the runner when a block slot is made; the block record it
 * points at (BLOCK_BYTES) changes with every block the slot runs. Frames of a thread's activations lie one after the
 * other on its own stack: [pc, local base, arguments and results (8 bytes a leaf), slots of values that live across
 * suspensions].
 */

export const CONTEXT = {
  tidX: 0,
  tidY: 4,
  tidZ: 8,
  block: 12, // address of the block record
  lane: 16,
  warp: 20,
  localTop: 24, // next free byte of local memory
  localEnd: 32,
  stackEnd: 36,
  // What the thread waits for, written before it returns WAITING.
  waitOperation: 40, // index into the metadata's operations
  waitSite: 44,
  waitMask: 48, // collective: membermask; barrier: its number
  waitThreads: 52, // barrier: expected threads, 0 for all; products: groups that all must have committed
  operand0: 56,
  operand1: 60,
  operand2: 64,
  operand3: 68,
  resultLow: 72,
  resultHigh: 76,
  // The fault record.
  faultCode: 80,
  faultSite: 84,
  faultAddress: 88,
  faultBytes: 92,
  frame: 96, // the kernel's frame
  localStart: 100, // where the thread's local memory begins
  faultAddressHigh: 104, // where addresses have 64 bits
  productGroups: 108, // groups of products (wgmma) that the thread has committed
} as const;
export const CONTEXT_BYTES = 112;

/** What the run of a warp's lanes reports: masks of lanes, and whether those that wait do so at different places. */
/** faultLane: the lane that runs, in the end -1 unless it faulted. */
export const SUMMARY = { exited: 0, yielded: 4, waiting: 8, differs: 12, faultLane: 16 } as const;
export const SUMMARY_BYTES = 32;

/** `clusterBase`: where the shared memory of the cluster's first block begins. */
export const BLOCK_RECORD = {
  ctaidX: 0,
  ctaidY: 4,
  ctaidZ: 8,
  sharedBase: 12,
  localBase: 16,
  localBytes: 20,
  clusterBase: 24,
} as const;
export const BLOCK_BYTES = 32;

export const FRAME = { pc: 0, localBase: 4, values: 8 } as const;

/** What a compiled function returns. Everything but RETURNED unwinds to the scheduler. */
export const STATUS = { returned: 0, waiting: 1, yielded: 2, exited: 3, fault: 4 } as const;

/** Mutable wasm globals with the launch's shape, exported under these names. */
export const LAUNCH_GLOBALS = [
  "ntidX",
  "ntidY",
  "ntidZ",
  "nctaidX",
  "nctaidY",
  "nctaidZ",
  "clusterX",
  "clusterY",
  "clusterZ",
  "clusterStride",
  "sharedBytes",
  "paramBase",
  "loopWord",
] as const;
export type LaunchGlobal = (typeof LAUNCH_GLOBALS)[number];

/** Turns of a loop that may spin before the thread lets others run. */
export const YIELD_TURNS = 64;
