/**
 * What a change would gain: the time that the model gives the launch, over the time with other counters. Units that
 * work at the same time hide one another in part only, so all of them take part in the time, the slowest most.
 *
 * Two units are added to those of the model of time. Their constants are by eye from some kernels on an H200
 * (docs/lab/2026-11-22-kernels-h200.txt); no fit:
 *
 * - Atomics on one line of 128 bytes take turns, sector by sector, wherever they come from; lanes at one word, too.
 * - Loads that a multiprocessor has under way, over the time that DRAM takes to answer, limit the bytes a second
 *   (Little's law).
 */
import type { DeviceProperties } from "../../device/device.ts";
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";
import { gpuPeaks } from "../gpu-rates.ts";
import type { LaunchFacts } from "../launch-facts.ts";
import type { LaunchProfile } from "../launch-profile.ts";
import type { AccessProfile, Metrics } from "../line-profile.ts";
import { excessCycles, predictTime, type TimeUnit } from "../time-model.ts";
import { sectorMetric } from "../access-metrics.ts";
import { passesOf } from "./passes.ts";

/** Cycles of one more lane of a request to the same word of shared memory. */
const SHARED_ATOMIC_CYCLES = 2;
/** Cycles of a wavefront of an atomic request to shared memory beyond the first: a histogram on an H200. */
const SHARED_ATOMIC_CONFLICT_CYCLES = 8;
/** From a load to its data, under the load of all multiprocessors. */
const ANSWER_SECONDS = 850e-9;
const L2_ANSWER_CYCLES = 300;
const L1_ANSWER_CYCLES = 40;
/** Bytes. */
const L1_KEEPS = 96 * 1024;
const IDLE_ANSWER_SECONDS = 430e-9;
const L2_READ_BYTES_A_CYCLE = 22;
/** What L2 keeps of the data of blocks that run side by side. */
const L2_USED = 0.7;
/** Of a multiprocessor, that ask DRAM for as much as it can send. */
const BUSY_WARPS = 48;
const LINE_BYTES = 128;
const IN_CHAIN: ReadonlySet<TimeUnit> = new Set(["latency", "block launches"]);
/** How sharply the slowest unit dominates. */
const SHARPNESS = 4;

/** What counters do not say. */
export interface AtomicsLoad {
  /** Atomics on the most contended words of global memory, one after the other. */
  readonly onWord: number;
  /** Cycles that L2 takes for those on their lines of 128 bytes: it works on a line for one request at a time. */
  readonly cyclesInTurn: number;
  /** Lanes of requests to shared memory that wait for another lane at the same word. */
  readonly sharedWaiting: number;
}

export interface Changes {
  /** Accesses whose requests need no more sectors or wavefronts than they must. */
  readonly ideal?: readonly AccessProfile[];
  /** Accesses of which there are fewer. */
  readonly fewer?: { readonly accesses: readonly AccessProfile[]; readonly times: number };
  readonly metrics?: Readonly<Record<string, number>>;
  readonly facts?: Partial<LaunchFacts>;
  readonly atomics?: Partial<AtomicsLoad>;
  /** Times as many bytes for each load that is under way. */
  readonly wider?: number;
  /** Times as many threads that share the same work. */
  readonly threads?: number;
  /** No loop goes through data that another one had. */
  readonly inOnePass?: boolean;
  /** Tiles are asked for before the last ones are used. */
  readonly ahead?: boolean;
  /** The caches keep all that is read again. */
  readonly isReadOnce?: boolean;
  readonly waits?: Partial<LaunchProfile["waits"]>;
}

export class GainModel {
  readonly #metrics: Metrics;
  readonly #facts: LaunchFacts;
  readonly #gpu: DeviceProperties;
  readonly #atomics: AtomicsLoad;
  readonly #lines: LaunchProfile["lines"];
  readonly #waits: LaunchProfile["waits"];
  /** Bytes that loops load again which another one had. */
  readonly #again: number;
  readonly #fromLaunchBefore: number;
  /** Of the loads, those for tiles in shared memory that all threads wait for. */
  readonly #inSteps: number;
  /** By the model of the caches; null: nobody asked it. */
  readonly #readFromDram: number | null;
  readonly #now: number;

  constructor(
    launch: Pick<LaunchProfile, "lines" | "waits" | "loops" | "touched"> & { readonly facts: LaunchFacts },
    metrics: Metrics,
    gpu: DeviceProperties,
    atomics: AtomicsLoad,
    readFromDram: number | null = null,
  ) {
    this.#readFromDram = readFromDram;
    const { lines, facts, waits } = launch;
    this.#lines = lines;
    this.#waits = waits;
    this.#again = SECTOR_BYTES * passesOf(launch, metrics).reduce((sum, { again }) => sum + again.ideal, 0);
    this.#fromLaunchBefore = launch.touched.fromLaunchBefore;
    this.#inSteps = tileShare(launch, metrics);
    this.#metrics = metrics;
    this.#facts = facts;
    this.#gpu = gpu;
    this.#atomics = atomics;
    this.#now = this.#time({});
  }

  /** How many times faster the launch would be. */
  gain(changes: Changes): number {
    return Math.max(1, this.#now / Math.max(1e-9, this.#time(changes)));
  }

  /** The same with the start of the launch, which is most of the time of a small one. */
  gainWithStart(changes: Changes): number {
    return Math.max(1, (START_SECONDS + this.#now) / (START_SECONDS + this.#time(changes)));
  }

  /** What the model says the launch takes now. */
  get microseconds(): number {
    return 1e6 * this.#now;
  }

  /** The unit that needs longest now. */
  get limiter(): TimeUnit {
    const { limiter } = predictTime({ metrics: this.#metrics, lines: this.#lines }, this.#facts, this.#gpu);
    return limiter;
  }

  /** Seconds that the units of a launch need, together. */
  #time({ ideal = [], fewer, ...changes }: Changes): number {
    const {
      metrics: changed = {},
      facts: otherFacts = {},
      atomics = {},
      wider = 1,
      threads = 1,
      inOnePass = false,
      isReadOnce = false,
      ahead = false,
      waits: otherWaits = {},
    } = changes;
    const more = (name: string): Record<string, number> => ({ [name]: threads * (this.#metrics[name] ?? 0) });
    const metrics = {
      ...this.#metrics,
      ...more("launch__grid_size"),
      ...more("smsp__warps_launched.sum"),
      ...changed,
    };
    const facts = { ...this.#facts, waves: threads * this.#facts.waves, ...otherFacts };
    const lines = this.#lines.map((line) => ({
      ...line,
      accesses: line.accesses.map((access) => {
        if (ideal.includes(access)) return { ...access, transactions: access.ideal };
        return fewer?.accesses.includes(access) === true ? fewerOf(access, fewer.times) : access;
      }),
    }));
    const again = inOnePass ? 0 : this.#again;
    const different = metrics["dram__bytes_read.sum"] ?? 0;
    const known = inOnePass ? null : this.#readFromDram;
    const read = isReadOnce ? different : (known ?? this.#fromDram(different, again, facts));
    // What warps wait for, and the start of blocks, are modelled below.
    const { units } = predictTime({ metrics: { ...metrics, "dram__bytes_read.sum": read }, lines }, facts, this.#gpu);
    const { cyclesInTurn, sharedWaiting } = { ...this.#atomics, ...atomics };
    const { clockHz } = gpuPeaks(this.#gpu);
    const multiprocessors = this.#gpu.multiProcessorCount;
    const waits = { ...this.#waits, ...otherWaits };
    // A warp waits for each of its own requests, however few other warps there are.
    const cycles = waits.cycles + excessCycles(lines);
    const chain = this.#chain({ cycles, loads: waits.loads / wider }, { different, again, read }, metrics, facts);
    const all = [
      ...units.flatMap(({ unit, microseconds }) => (IN_CHAIN.has(unit) ? [] : [microseconds / 1e6])),
      cyclesInTurn / clockHz,
      (sharedWaiting * SHARED_ATOMIC_CYCLES) / multiprocessors / clockHz,
      (different + again) / L2_READ_BYTES_A_CYCLE / multiprocessors / clockHz,
      (requestCycles(lines) + atomicConflictCycles(lines)) / multiprocessors / clockHz,
      chain.together,
    ];
    const most = Math.max(...all);
    if (most === 0) return 0;
    const sum = all.reduce((total, time) => total + (time / most) ** SHARPNESS, 0);
    // Nothing else happens while the blocks of a multiprocessor wait for a tile; of several one computes.
    return most * sum ** (1 / SHARPNESS) + (chain.apart * (ahead ? STILL_WAITING : 1)) / residentBlocks(metrics, facts);
  }

  /** Seconds that the chains of the warps take that run one after the other; apart: for tiles, before all compute. */
  #chain(
    { loads, cycles }: LaunchProfile["waits"],
    bytes: { readonly different: number; readonly again: number; readonly read: number },
    metrics: Metrics,
    facts: LaunchFacts,
  ): { readonly together: number; readonly apart: number } {
    const warps = metrics["smsp__warps_launched.sum"] ?? 0;
    if (warps === 0) return { together: 0, apart: 0 };
    const multiprocessors = this.#gpu.multiProcessorCount;
    const resident = Math.min(facts.occupancy.warps, Math.ceil(warps / multiprocessors));
    // Loads of less than a line keep DRAM less busy.
    const ofLine = Math.min(1, (bytes.read + bytes.again) / Math.max(1, loads) / LINE_BYTES);
    const busy = Math.min(1, resident / BUSY_WARPS) * ofLine;
    const answers = this.#answers(bytes, metrics, { waves: facts.waves, busy });
    const side = Math.max(1, Math.min(resident * multiprocessors, warps));
    const { clockHz } = gpuPeaks(this.#gpu);
    return {
      together: (loads * (1 - this.#inSteps) * answers.loop + cycles / clockHz) / side,
      apart: (loads * this.#inSteps * answers.tile) / side,
    };
  }

  /** Seconds from a load to its data, on average. A tile is in no L1: its block alone loads it. */
  #answers(
    { different, again, read }: { readonly different: number; readonly again: number; readonly read: number },
    metrics: Metrics,
    { waves, busy }: { readonly waves: number; readonly busy: number },
  ): { readonly loop: number; readonly tile: number } {
    const { clockHz } = gpuPeaks(this.#gpu);
    const sectors = metrics[sectorMetric({ space: "global", operation: "load" })] ?? 0;
    const asked = Math.max(1, sectors * SECTOR_BYTES);
    const fromDram = Math.min(1, read / asked);
    // What the warps of a multiprocessor read again is in its L1, if it is no more than that holds.
    const ofEach = different / Math.max(1, waves) / this.#gpu.multiProcessorCount;
    const fromL2 = ofEach > L1_KEEPS ? Math.min(1 - fromDram, Math.max(0, different + again - read) / asked) : 0;
    const dram = fromDram * (IDLE_ANSWER_SECONDS + busy * (ANSWER_SECONDS - IDLE_ANSWER_SECONDS));
    const l1 = 1 - fromDram - fromL2;
    return {
      loop: dram + (fromL2 * L2_ANSWER_CYCLES + l1 * L1_ANSWER_CYCLES) / clockHz,
      tile: dram + ((1 - fromDram) * L2_ANSWER_CYCLES) / clockHz,
    };
  }

  /**
   * Bytes that come from DRAM: what is read for the first time, but for what the launch before has left in L2; and what
   * is read again, if the blocks on the GPU have more data than L2 holds.
   */
  #fromDram(different: number, again: number, { waves }: LaunchFacts): number {
    const l2 = L2_USED * this.#gpu.l2CacheBytes;
    const left = this.#fromLaunchBefore <= l2 ? this.#fromLaunchBefore : 0;
    const atOnce = (different + (this.#metrics["dram__bytes_write.sum"] ?? 0)) / Math.max(1, waves);
    const missing = Math.max(0, 1 - l2 / Math.max(1, atOnce));
    return Math.max(0, different - left) + again * missing;
  }
}

/** Cycles that the requests of memory take of the pipe that all of a multiprocessor go through: one each at least. */
function requestCycles(lines: LaunchProfile["lines"]): number {
  let cycles = 0;
  for (const { space, requests, transactions } of lines.flatMap(({ accesses }) => accesses)) {
    if (space === "constant") continue;
    cycles += Math.max(requests, space === "shared" ? transactions : transactions / SECTORS_A_CYCLE);
  }
  return cycles;
}

function atomicConflictCycles(lines: LaunchProfile["lines"]): number {
  let wavefronts = 0;
  for (const { space, operation, requests, transactions } of lines.flatMap(({ accesses }) => accesses))
    if (space === "shared" && (operation === "atomic" || operation === "reduction"))
      wavefronts += Math.max(0, transactions - requests);
  return SHARED_ATOMIC_CONFLICT_CYCLES * wavefronts;
}

const SECTORS_A_CYCLE = 4;

function fewerOf(access: AccessProfile, times: number): AccessProfile {
  const { requests, transactions, ideal } = access;
  return { ...access, requests: requests / times, transactions: transactions / times, ideal: ideal / times };
}

/** From a launch to its first instruction, and from its last to its end. */
const START_SECONDS = 2e-6;

/** Of what is waited for, what stays when the next tile is asked for ahead. */
const STILL_WAITING = 0.25;

/** Loads that fill shared memory are about as many as the stores. */
const FILLING = 0.4;

/** The part of the loads that fill shared memory in steps, between barriers, and not asynchronously. */
export function tileShare({ loops }: Pick<LaunchProfile, "loops">, metrics: Metrics): number {
  const loads = loops.reduce((sum, { requests }) => sum + requests, 0);
  const inSteps = loops.reduce((sum, loop) => sum + Math.max(0, loop.inSteps - loop.asynchronous), 0);
  const fills = metrics["smsp__inst_executed_op_shared_st.sum"] ?? 0;
  return fills < FILLING * inSteps ? 0 : inSteps / Math.max(1, loads);
}

/** Blocks that a multiprocessor works on at once. */
function residentBlocks(metrics: Metrics, { occupancy, waves }: LaunchFacts): number {
  const ofGrid = Math.ceil(occupancy.blocks * waves);
  return (metrics["smsp__warps_launched.sum"] ?? 0) === 0 ? 1 : Math.max(1, Math.min(occupancy.blocks, ofGrid));
}
