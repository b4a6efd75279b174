/**
 * What a change would gain: the time that the model gives the launch, over the time with other counters. Units that
 * work at the same time hide one another in part only, so all of them take part in the time, the slowest most.
 *
 * Two units are added to those of the model of time. Their constants are by eye from some kernels on an H200
 * (docs/lab/2026-11-22-kernels-h200.txt); no fit:
 *
 * - Atomics on one address take turns, wherever they come from.
 * - Loads that a multiprocessor has under way, over the time that DRAM takes to answer, limit the bytes a second
 *   (Little's law).
 */
import type { DeviceProperties } from "../../device/device.ts";
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";
import { gpuPeaks } from "../gpu-rates.ts";
import type { LaunchFacts } from "../launch-facts.ts";
import type { LaunchProfile } from "../launch-profile.ts";
import type { AccessProfile, Metrics } from "../line-profile.ts";
import { predictTime, type TimeUnit } from "../time-model.ts";
import { requestMetric, sectorMetric } from "./hint.ts";

/** Cycles from one atomic on an address to the next. */
const ATOMIC_CYCLES = 3.5;
/** Cycles of one more lane of a request to the same word of shared memory. */
const SHARED_ATOMIC_CYCLES = 2;
/** From a load to its data, under the load of all multiprocessors. */
const ANSWER_SECONDS = 850e-9;
/** Loads of a warp that wait at once: compilers put as many iterations of a loop side by side. */
const LOADS_UNDER_WAY = 4;
/** How sharply the slowest unit dominates. */
const SHARPNESS = 4;

/** What counters do not say. */
export interface AtomicsLoad {
  /** Atomics on the most contended words of global memory, one after the other. */
  readonly inTurn: number;
  /** Lanes of requests to shared memory that wait for another lane at the same word. */
  readonly sharedWaiting: number;
}

export interface Changes {
  /** Accesses of global memory whose requests need no more sectors than they must. */
  readonly coalesced?: readonly AccessProfile[];
  readonly metrics?: Readonly<Record<string, number>>;
  readonly facts?: Partial<LaunchFacts>;
  readonly atomics?: Partial<AtomicsLoad>;
  /** Times as many bytes for each load that is under way. */
  readonly wider?: number;
  /** Times as many threads that share the same work. */
  readonly threads?: number;
}

export class GainModel {
  readonly #metrics: Metrics;
  readonly #facts: LaunchFacts;
  readonly #gpu: DeviceProperties;
  readonly #atomics: AtomicsLoad;
  readonly #lines: LaunchProfile["lines"];
  readonly #now: number;

  constructor(
    { lines, facts }: Pick<LaunchProfile, "lines"> & { readonly facts: LaunchFacts },
    metrics: Metrics,
    gpu: DeviceProperties,
    atomics: AtomicsLoad,
  ) {
    this.#lines = lines;
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
  #time({ coalesced = [], ...changes }: Changes): number {
    const { metrics: changed = {}, facts: otherFacts = {}, atomics = {}, wider = 1, threads = 1 } = changes;
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
      accesses: line.accesses.filter((access) => !coalesced.includes(access)),
    }));
    // Fitted without the start of blocks.
    const { units } = predictTime({ metrics, lines }, facts, this.#gpu);
    const { inTurn, sharedWaiting } = { ...this.#atomics, ...atomics };
    const { clockHz } = gpuPeaks(this.#gpu);
    const all = [
      ...units.flatMap(({ unit, microseconds }) => (unit === "block launches" ? [] : [microseconds / 1e6])),
      (inTurn * ATOMIC_CYCLES) / clockHz,
      (sharedWaiting * SHARED_ATOMIC_CYCLES) / this.#gpu.multiProcessorCount / clockHz,
      this.#waitingForLoads(metrics, facts) / wider,
    ];
    const most = Math.max(...all);
    if (most === 0) return 0;
    return most * all.reduce((sum, time) => sum + (time / most) ** SHARPNESS, 0) ** (1 / SHARPNESS);
  }

  /** Seconds that the loads from DRAM need if as many are under way as warps can have. */
  #waitingForLoads(metrics: Metrics, { occupancy }: LaunchFacts): number {
    const load = { space: "global", operation: "load" } as const;
    const requests = metrics[requestMetric(load)] ?? 0;
    const warps = metrics["smsp__warps_launched.sum"] ?? 0;
    const bytes = metrics["dram__bytes_read.sum"] ?? 0;
    if (requests === 0 || warps === 0) return 0;
    const sectors = metrics[sectorMetric(load)] ?? 0;
    const multiprocessors = this.#gpu.multiProcessorCount;
    const resident = Math.min(occupancy.warps, warps / multiprocessors);
    const underWay = Math.min(LOADS_UNDER_WAY, Math.max(1, requests / warps));
    const bytesUnderWay = resident * underWay * ((sectors * SECTOR_BYTES) / requests);
    return (bytes / Math.max(1, bytesUnderWay * multiprocessors)) * ANSWER_SECONDS;
  }
}
