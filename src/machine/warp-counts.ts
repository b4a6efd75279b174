/**
 * Counters of what the warps of a launch do: what the intrinsics `llvm.nvvm.heddle.count.*` add to, for every engine.
 *
 * A tool puts calls of them into kernels. The lanes of a warp that execute one together are one execution. A counter is
 * a 64-bit word; the counters of one call are a *record*. Meanings follow NVIDIA's hardware from Volta on (Nsight
 * Compute, "Metrics Reference" and "Memory Tables"; CUDA programming guide, "Shared Memory"):
 *
 * - A *request* is one execution of an access by a warp.
 * - A *sector* is 32 aligned bytes of global or local memory. A request has as many as its lanes touch.
 * - Shared memory has 32 banks of 4 bytes. In one *wavefront* each bank serves one word, to all lanes that ask for it.
 *   A request of 8 (16) bytes a lane is served for 16 (8) lanes at a time; a load for twice as many, where each lane
 *   has the address of its neighbour, or each that of the lane two further (lanes n and n ^ 1, or n and n ^ 2).
 * - Local memory is interleaved: word n of the 32 lanes of a warp is 128 bytes in a row.
 * - The cache of constants serves one address at a time, to all lanes that ask for it.
 */
import { bug } from "../base/diagnostics.ts";
import { raiseCounter } from "./barrier-skew.ts";
import { localLineAddress, noteLines, unpackLines, type LineRequest } from "./line-records.ts";
import { offerSample, type LaneSample } from "./lane-sample.ts";
import { WARP_LANES } from "./memory-map.ts";

export const COUNTER_BYTES = 8;
/** The room of a record; that of an access is larger, because a sample lies behind its counters (lane-sample.ts). */
export const RECORD_BYTES = 64;
export const ACCESS_RECORD_BYTES = 256;

/** Counters of `count.warps`: how often warps execute a basic block, and how many of their lanes together. */
export const WARP_COUNTERS = { warps: 0, threads: 1 } as const;
/** The counter of `count.branch`: executions whose lanes go both ways. */
export const BRANCH_COUNTERS = { divergent: 0 } as const;
/**
 * Counters of `count.access`. transactions: sectors, wavefronts of shared memory, or different constants. ideal: what
 * as many lanes would need if what they access lay side by side. Requests and threads are those of the access's basic
 * block, and counted here for generic accesses only. distinct: different words among the lanes of a request, of atomics
 * only; lanes that share one take turns. (Lanes that shared memory serves apart are counted apart.)
 */
export const ACCESS_COUNTERS = { transactions: 0, ideal: 1, requests: 2, threads: 3, distinct: 4 } as const;

/**
 * Where an accessed address lies. generic: only known when the access happens. Such an access has three records, one
 * behind the other, in the order of the spaces in front of it.
 */
export const COUNTED_SPACES = ["global", "shared", "local", "generic", "constant"] as const;
export type CountedSpace = (typeof COUNTED_SPACES)[number];
export type MemorySpace = Exclude<CountedSpace, "generic">;

export const SECTOR_BYTES = 32;
export const BANKS = 32;
export const BANK_BYTES = 4;

/** The memory of one block, to tell the spaces of an address apart. */
export interface BlockWindows {
  readonly sharedBase: number;
  readonly sharedBytes: number;
  readonly localBase: number;
  /** Of all threads together. */
  readonly localBytes: number;
  /** Of one thread. The windows of the threads lie side by side. */
  readonly localBytesPerThread: number;
  /** The block's number in its grid. */
  readonly block: number;
  /** The warp's number in its block. */
  readonly warp: number;
}

/** A tool's counters in the device's memory. */
export interface Counters {
  /** Adds `amount` to counter `index` of the record at `record`. */
  add(record: number, index: number, amount: number): void;
  /** Makes that counter at least `value`. */
  raise(record: number, index: number, value: number): void;
  /** Offers a request of the access at `record` as its example. */
  offer(record: number, sample: LaneSample): void;
  /** Writes the records of a request at `start`. */
  note(start: number, request: LineRequest): void;
}

/** Counters that several threads count in. @param buffer the device's memory as it is now */
export function sharedCounters(buffer: () => ArrayBufferLike): Counters {
  let known = new BigInt64Array(buffer());
  const words = (): BigInt64Array<ArrayBufferLike> => {
    if (known.buffer !== buffer()) known = new BigInt64Array(buffer());
    return known;
  };
  return {
    add: (record, index, amount) => void Atomics.add(words(), record / COUNTER_BYTES + index, BigInt(amount)),
    raise: (record, index, value) => raiseCounter(words(), record / COUNTER_BYTES + index, value),
    offer: (record, sample) => offerSample(buffer(), record, sample),
    note: (start, request) => noteLines(buffer(), start, request),
  };
}

/**
 * The order of counts in functions whose threads may wait for one another. Such counts are taken as the lanes come: a
 * lane that waits for another must not be counted for ever before that one goes on.
 */
export const UNORDERED: number = 2 ** 31 - 1;

/** Lanes that access memory together. */
export interface LaneAccess {
  /** Bit mask of the lanes that take part. */
  readonly lanes: number;
  /** By lane; others are ignored. Each is a multiple of `bytes`. */
  readonly addresses: ArrayLike<number>;
  /** Of one lane: 1, 2, 4, 8 or 16. */
  readonly bytes: number;
  /** Of shared memory: a plain load, of which lanes with the same address are served together. */
  readonly isLoad?: boolean;
}

/** The last operand of `count.access`: what is known of the access. */
export function packAccess({ bytes, space, isAtomic, isLoad }: PackedAccess): number {
  return bytes | (COUNTED_SPACES.indexOf(space) << 8) | (Number(isAtomic) << 16) | (Number(isLoad) << 17);
}

export function unpackAccess(packed: number): PackedAccess {
  const space = (packed >> 8) & 0xff;
  return {
    bytes: packed & 0xff,
    space: COUNTED_SPACES[space] ?? bug(`no space ${space} to count in`),
    isAtomic: ((packed >> 16) & 1) !== 0,
    isLoad: ((packed >> 17) & 1) !== 0,
  };
}

export interface PackedAccess {
  readonly bytes: number;
  readonly space: CountedSpace;
  readonly isAtomic: boolean;
  /** As in LaneAccess. */
  readonly isLoad: boolean;
}

/** Records of an access, each of ACCESS_RECORD_BYTES. */
export function recordsOfAccess(space: CountedSpace): number {
  return space === "generic" ? COUNTED_SPACES.indexOf("generic") : 1;
}

/** Counts one execution of `count.warps`. */
export function countWarp(record: number, lanes: number, counters: Counters): void {
  counters.add(record, WARP_COUNTERS.warps, 1);
  counters.add(record, WARP_COUNTERS.threads, lanesOf(lanes).length);
}

/** Counts one execution of `count.branch`. `taken`: the lanes whose condition is true. */
export function countBranch(record: number, lanes: number, taken: number, counters: Counters): void {
  if ((taken & lanes) !== 0 && (taken & lanes) !== (lanes | 0)) counters.add(record, BRANCH_COUNTERS.divergent, 1);
}

/**
 * Counts one execution of an access: the definition, which the interpreter and the thread tier use. The lanes of a
 * generic access that meet different spaces are one request in each.
 */
export function countAccess(
  record: number,
  { space, isAtomic, isLoad }: PackedAccess,
  one: LaneAccess,
  windows: BlockWindows,
  counters: Counters,
): void {
  const access = { ...one, isLoad };
  if (space !== "generic") {
    countInSpace(record, { space, isAtomic }, access, windows, counters);
    return;
  }
  for (const [index, met] of (["global", "shared", "local"] as const).entries()) {
    const lanes = selectLanes(access.lanes, (lane) => spaceOf(access.addresses[lane] as number, windows) === met);
    if (lanes === 0) continue;
    const at = record + index * ACCESS_RECORD_BYTES;
    countInSpace(at, { space: met, isAtomic }, { ...access, lanes }, windows, counters);
    counters.add(at, ACCESS_COUNTERS.requests, 1);
    counters.add(at, ACCESS_COUNTERS.threads, lanesOf(lanes).length);
  }
}

/** Notes the lines that one execution of `count.lines` touches. */
export function countLines(
  start: number,
  packed: number,
  { lanes, addresses }: Pick<LaneAccess, "lanes" | "addresses">,
  windows: BlockWindows,
  counters: Counters,
): void {
  const { space, operation, bytes, isRecorded } = unpackLines(packed);
  const { block, warp, localBase, localBytesPerThread } = windows;
  const lanesIn = (wanted: "global" | "local"): number => {
    if (space !== "generic") return space === wanted ? lanes : 0;
    return selectLanes(lanes, (lane) => spaceOf(addresses[lane] as number, windows) === wanted);
  };
  counters.note(start, { lanes: lanesIn("global"), addresses, operation, block, warp, isLocal: false });
  if (!isRecorded) return;
  const local = lanesIn("local");
  for (let word = 0; word * BANK_BYTES < bytes; word++) {
    const lineAddresses = Array.from({ length: WARP_LANES }, (_, lane) => {
      const first = ((addresses[lane] as number) - localBase) % Math.max(localBytesPerThread, 1);
      return localLineAddress((first >>> 2) + word, lane, warp, block);
    });
    counters.note(start, { lanes: local, addresses: lineAddresses, operation, block, warp, isLocal: true });
  }
}

export function spaceOf(address: number, windows: BlockWindows): "global" | "shared" | "local" {
  if ((address - windows.sharedBase) >>> 0 < windows.sharedBytes) return "shared";
  return (address - windows.localBase) >>> 0 < windows.localBytes ? "local" : "global";
}

function countInSpace(
  record: number,
  { space, isAtomic }: { readonly space: MemorySpace; readonly isAtomic: boolean },
  access: LaneAccess,
  windows: BlockWindows,
  counters: Counters,
): void {
  const { lanes, addresses, bytes } = access;
  const transactions = transactionsOf(space, access, windows);
  counters.add(record, ACCESS_COUNTERS.transactions, transactions);
  counters.add(record, ACCESS_COUNTERS.ideal, idealTransactions(space, lanesOf(lanes).length, bytes));
  if (isAtomic) counters.add(record, ACCESS_COUNTERS.distinct, distinctOf(space, access));
  if (space === "local") return;
  const base = space === "shared" ? windows.sharedBase : 0;
  const own = Array.from({ length: WARP_LANES }, (_, lane) => (addresses[lane] as number) - base);
  counters.offer(record, { transactions, lanes, block: windows.block, addresses: own });
}

function distinctOf(space: MemorySpace, { lanes, addresses, bytes }: LaneAccess): number {
  const together = space === "shared" ? lanesTogether(bytes) : WARP_LANES;
  const unit = Math.max(bytes, BANK_BYTES);
  const words = lanesOf(lanes).map(
    (lane) => `${Math.floor(lane / together)} ${Math.floor((addresses[lane] as number) / unit)}`,
  );
  return new Set(words).size;
}

/** Sectors of global or local memory, wavefronts of shared memory, different constants. */
export function transactionsOf(space: MemorySpace, access: LaneAccess, windows: BlockWindows | null): number {
  if (space === "shared") return wavefrontsOf(access);
  if (space === "constant") return distinctOf(space, access);
  return space === "global" || windows === null ? sectorsOf(access) : localSectorsOf(access, windows);
}

export function idealTransactions(space: MemorySpace, threads: number, bytes: number): number {
  if (space === "constant") return Math.min(1, threads);
  return space === "shared"
    ? Math.ceil((threads * Math.max(bytes, BANK_BYTES)) / (BANKS * BANK_BYTES))
    : Math.ceil((threads * bytes) / SECTOR_BYTES);
}

/** Different sectors of global memory that the lanes touch. */
export function sectorsOf({ lanes, addresses, bytes }: LaneAccess): number {
  const sectors = new Set<number>();
  for (const lane of lanesOf(lanes)) {
    const first = (addresses[lane] as number) >>> 0;
    for (let at = Math.floor(first / SECTOR_BYTES); at * SECTOR_BYTES < first + bytes; at++) sectors.add(at);
  }
  return sectors.size;
}

/** The same for local memory, whose words the lanes of a warp have side by side. */
export function localSectorsOf({ lanes, addresses, bytes }: LaneAccess, windows: BlockWindows): number {
  const sectors = new Set<number>();
  const lanesOfSector = SECTOR_BYTES / BANK_BYTES;
  for (const lane of lanesOf(lanes)) {
    const first = ((addresses[lane] as number) - windows.localBase) % Math.max(windows.localBytesPerThread, 1);
    for (let word = first >>> 2; word * BANK_BYTES < first + bytes; word++)
      sectors.add(word * (WARP_LANES / lanesOfSector) + Math.floor(lane / lanesOfSector));
  }
  return sectors.size;
}

/** Turns in which the banks of shared memory serve the lanes. */
export function wavefrontsOf(access: LaneAccess): number {
  const { lanes, addresses, bytes } = access;
  let wavefronts = 0;
  for (const group of groupsServed(access)) {
    const banks = new Map<number, Set<number>>();
    for (const lane of lanesOf(lanes & group)) {
      const start = (addresses[lane] as number) >>> 0;
      for (let word = Math.floor(start / BANK_BYTES); word * BANK_BYTES < start + bytes; word++) {
        const words = banks.get(word % BANKS) ?? new Set();
        words.add(word);
        banks.set(word % BANKS, words);
      }
    }
    wavefronts += Math.max(0, ...[...banks.values()].map(({ size }) => size));
  }
  return wavefronts;
}

/** Masks of the lanes that shared memory serves together. */
function groupsServed(access: LaneAccess): number[] {
  const together = lanesTogether(access.bytes);
  if (together === WARP_LANES) return [-1];
  const groups: number[] = [];
  for (let first = 0; first < WARP_LANES; first += 2 * together) {
    const [low, high] = [lanesFrom(first, together), lanesFrom(first + together, together)];
    if (access.isLoad === true && PAIRS.some((pair) => arePaired(access, low | high, pair))) groups.push(low | high);
    else groups.push(low, high);
  }
  return groups;
}

/**
 * Lanes that may share a register's worth of what shared memory returns: n and n ^ 1, or n and n ^ 2. NVIDIA's
 * developer forum, "Unexpected shared memory bank conflict" (77228), of 7.x; Nsight Compute counts the same on an H200.
 */
export const PAIRS: readonly [1, 2] = [1, 2];

/** Whether each two lanes of a pair that are both active have the same address. */
function arePaired({ lanes, addresses }: LaneAccess, group: number, pair: number): boolean {
  return lanesOf(lanes & group).every(
    (lane) => ((lanes >>> (lane ^ pair)) & 1) === 0 || addresses[lane] === addresses[lane ^ pair],
  );
}

export function lanesFrom(first: number, count: number): number {
  return ((2 ** count - 1) << first) | 0;
}

/** How many lanes shared memory serves at a time, if their addresses differ. */
export function lanesTogether(bytes: number): number {
  if (bytes <= BANK_BYTES) return WARP_LANES;
  return bytes <= 2 * BANK_BYTES ? WARP_LANES / 2 : WARP_LANES / 4;
}

export function lanesOf(mask: number): number[] {
  const lanes: number[] = [];
  for (let rest = mask; rest !== 0; rest &= rest - 1) lanes.push(31 - Math.clz32(rest & -rest));
  return lanes;
}

function selectLanes(mask: number, accept: (lane: number) => boolean): number {
  return lanesOf(mask).reduce((picked, lane) => (accept(lane) ? picked | (1 << lane) : picked), 0);
}
