/** Adds counters up under NVIDIA's metric names: of a launch, of a source line, of a place that it was inlined into. */
import type { SourceLocation } from "../base/diagnostics.ts";
import { BARRIER_COUNTERS } from "../machine/barrier-skew.ts";
import { userLocation } from "../base/source-places.ts";
import {
  COPY_BYTES_READ,
  COPY_BYTES_WRITTEN,
  COPY_REQUESTS,
  COPY_SECTORS,
  requestMetric,
  sectorMetric,
  sharedMetrics,
} from "./access-metrics.ts";
import { placeKey } from "./block-work.ts";
import type { AccessProfile, CallProfile, LineProfile, Metrics } from "./line-profile.ts";
import { SENT_SECTORS, TRANSFER_COUNTERS, TRANSFER_METRICS, type TransferDirection } from "./transfers.ts";
import {
  PRODUCT_BYTES,
  PRODUCT_INSTRUCTIONS,
  PRODUCT_STEPS,
  TENSOR_INSTRUCTIONS,
  type WarpProduct,
} from "./warpgroup-products.ts";
import type { WorkClass } from "./work-classes.ts";

/** Threads that executed an instruction of the class, each operation of a vector for itself. */
const THREAD_METRICS: Readonly<Partial<Record<WorkClass, string>>> = {
  "fp32-add": "fadd",
  "fp32-mul": "fmul",
  "fp32-fma": "ffma",
  "fp64-add": "dadd",
  "fp64-mul": "dmul",
  "fp64-fma": "dfma",
  "fp16-add": "hadd",
  "fp16-mul": "hmul",
  "fp16-fma": "hfma",
  alu: "integer",
  conversion: "conversion",
  lanes: "inter_thread_communication",
  memory: "memory",
  control: "control",
};

const LANES = 32;
export const DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum";

/**
 * NVIDIA has no counter of how far apart warps arrive at a barrier. Barriers that blocks came to, and how many warp
 * instructions their first and their last warp were apart, on average and at worst.
 */
export const BARRIERS = "heddle__block_barriers.sum";
export const BARRIER_SKEW = "heddle__barrier_skew_inst.avg";
export const WORST_SKEW = "heddle__barrier_skew_inst.max";

export class MetricSum {
  readonly #sums = new Map<string, number>();
  #skew = 0;

  add(name: string, amount: number): void {
    if (amount !== 0) this.#sums.set(name, (this.#sums.get(name) ?? 0) + amount);
  }

  addWork(work: WorkClass, count: number, warps: number, threads: number): void {
    this.add("smsp__inst_executed.sum", count * warps);
    this.add("smsp__thread_inst_executed.sum", count * threads);
    const name = THREAD_METRICS[work];
    if (name !== undefined) this.add(`smsp__sass_thread_inst_executed_op_${name}_pred_on.sum`, count * threads);
    if (work === "special") this.add("smsp__inst_executed_pipe_xu.sum", count * warps);
    // All lanes of a warp, which may be counted as they come.
    if (work === "tensor") this.add(TENSOR_INSTRUCTIONS, (count * threads) / LANES);
    if (work === "barrier") this.add("smsp__inst_executed_op_barrier.sum", count * warps);
  }

  /** @param isCopied a load of an asynchronous copy */
  addAccess(access: AccessProfile, isCopied: boolean): void {
    const { operation, space, bytes, requests, threads, transactions, ideal } = access;
    if (space === "shared") {
      const names = sharedMetrics(operation);
      this.add(names.requests, requests);
      this.add(names.wavefronts, transactions);
      this.add(names.conflicts, Math.max(0, transactions - ideal));
      if (operation === "copy") this.add(COPY_BYTES_WRITTEN, threads * bytes);
      return;
    }
    // Constants have a cache of their own.
    if (space === "constant") return;
    this.add(requestMetric(access), requests);
    this.add(sectorMetric(access), transactions);
    if (isCopied) {
      this.add(COPY_REQUESTS, requests);
      this.add(COPY_SECTORS, transactions);
      this.add(COPY_BYTES_READ, threads * bytes);
    }
    if (space === "global") {
      this.add("memory_l2_theoretical_sectors_global", transactions);
      this.add("memory_l2_theoretical_sectors_global_ideal", ideal);
    }
  }

  addProducts(warps: number, { bytes, steps }: WarpProduct): void {
    this.add(PRODUCT_INSTRUCTIONS, warps);
    this.add(PRODUCT_BYTES, warps * bytes);
    this.add(PRODUCT_STEPS, warps * steps);
  }

  /** @param counters of TRANSFER_COUNTERS */
  addTransfer(direction: TransferDirection, counters: readonly number[]): void {
    const { instructions, sectors } = TRANSFER_METRICS[direction];
    this.add(instructions, counters[TRANSFER_COUNTERS.instructions] ?? 0);
    this.add(sectors, counters[TRANSFER_COUNTERS.sectors] ?? 0);
    if (direction === "load") this.add(SENT_SECTORS, counters[TRANSFER_COUNTERS.sent] ?? 0);
  }

  /** @param counters of machine/barrier-skew.ts */
  addBarrier(counters: readonly number[]): void {
    this.add(BARRIERS, counters[BARRIER_COUNTERS.times] ?? 0);
    this.#skew += counters[BARRIER_COUNTERS.skew] ?? 0;
    const worst = counters[BARRIER_COUNTERS.worst] ?? 0;
    this.#sums.set(WORST_SKEW, Math.max(this.#sums.get(WORST_SKEW) ?? 0, worst));
    this.#sums.set(BARRIER_SKEW, this.#skew / Math.max(1, this.#sums.get(BARRIERS) ?? 0));
  }

  metrics(): Metrics {
    return Object.fromEntries([...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export class LineSum {
  readonly sum: MetricSum = new MetricSum();
  readonly #location: SourceLocation;
  readonly #calls = new Map<string, { readonly location: SourceLocation; readonly sum: MetricSum }>();
  readonly #accesses = new Map<string, { -readonly [K in keyof AccessProfile]: AccessProfile[K] }>();

  constructor(location: SourceLocation) {
    this.#location = location;
  }

  /** What the line does in the place that `location` was inlined into. */
  callOf(location: SourceLocation): MetricSum {
    const own = userLocation(location) ?? location;
    const key = `${own.functionName ?? ""} ${placeKey(own)}`;
    let call = this.#calls.get(key);
    if (call === undefined) this.#calls.set(key, (call = { location: own, sum: new MetricSum() }));
    return call.sum;
  }

  /** Accesses of the same kind at one column are one: the same source, in several copies of a loop's body. */
  addAccess(access: AccessProfile, isCopied: boolean): void {
    this.sum.addAccess(access, isCopied);
    const key = `${access.operation} ${access.space} ${access.bytes} ${access.column}`;
    const known = this.#accesses.get(key);
    if (known === undefined) this.#accesses.set(key, { ...access });
    else {
      for (const count of ["requests", "threads", "transactions", "ideal", "distinct"] as const)
        known[count] += access[count];
      if ((access.sample?.transactions ?? 0) > (known.sample?.transactions ?? 0)) known.sample = access.sample;
    }
  }

  profile(): LineProfile {
    const { functionName } = this.#location;
    return {
      ...placeOf(this.#location),
      function: functionName ?? null,
      metrics: this.sum.metrics(),
      accesses: [...this.#accesses.values()].sort((a, b) => a.column - b.column),
      calls: this.#calls.size < 2 ? [] : [...this.#calls.values()].map(callProfile),
    };
  }
}

function callProfile({ location, sum }: { readonly location: SourceLocation; readonly sum: MetricSum }): CallProfile {
  const from: { file: string; line: number }[] = [];
  for (let at = location.inlinedAt; at !== undefined; at = at.inlinedAt) from.push(placeOf(at));
  return { function: location.functionName ?? null, from, metrics: sum.metrics() };
}

function placeOf({ file, line }: SourceLocation): { readonly file: string; readonly line: number } {
  return { file: file.replace(/^\.\//, ""), line };
}
