/**
 * What the profiler says of a launch, as plain data: counters under NVIDIA's metric names (Nsight Compute, "Metrics
 * Reference"), for the launch and for each source line.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import { userLocation } from "../base/source-places.ts";
import type { LaunchEngine } from "../machine/observer.ts";
import type { LaneSample } from "../machine/lane-sample.ts";
import {
  ACCESS_COUNTERS,
  BANKS,
  BANK_BYTES,
  BRANCH_COUNTERS,
  SECTOR_BYTES,
  WARP_COUNTERS,
  lanesOf,
} from "../machine/warp-counts.ts";
import type { AccessSite, BlockSite } from "./count-instrumenter.ts";
import type { AccessOperation } from "./counted-accesses.ts";
import type { WorkClass } from "./work-classes.ts";
import type { CountedLaunch, SiteCounts } from "./profiler.ts";

/** By NVIDIA's metric name. */
export type Metrics = Readonly<Record<string, number>>;

/** The counters of one source line. */
export interface LineProfile {
  readonly file: string;
  readonly line: number;
  /** The function that the line belongs to, mangled; null: not known. */
  readonly function: string | null;
  readonly metrics: Metrics;
  readonly accesses: readonly AccessProfile[];
}

/** One access to memory in the source. */
export interface AccessProfile {
  readonly operation: AccessOperation;
  readonly space: "global" | "shared" | "local";
  /** Of one thread. */
  readonly bytes: number;
  readonly column: number;
  readonly requests: number;
  readonly threads: number;
  /** Sectors of global and local memory, wavefronts of shared memory. */
  readonly transactions: number;
  /** What as many threads would need if what they access lay side by side. */
  readonly ideal: number;
  /** Of atomics: different addresses, request by request; lanes that share one take turns. Otherwise 0. */
  readonly distinct: number;
  /** The request with the most transactions, as an example. null: accesses to local memory have none. */
  readonly sample: AccessSample | null;
}

/** What the lanes of one request access. */
export interface AccessSample {
  readonly transactions: number;
  /** Bit mask of the lanes that take part. */
  readonly lanes: number;
  /**
   * Of each of the 32 lanes; 0 where a lane takes no part. Counted from the beginning of the lowest sector that a lane
   * touches; in shared memory from the lowest row of the 32 banks, so that a quarter modulo 32 is the bank.
   */
  readonly addresses: readonly number[];
}

export interface LaunchProfile {
  /** Counts the launches of the program from 1. */
  readonly ordinal: number;
  /** Mangled. */
  readonly kernel: string;
  /** Where the kernel is defined; null: not known. */
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  readonly engine: LaunchEngine;
  /** How long the emulated device took; says nothing of a GPU. */
  readonly elapsedMs: number;
  /** What ended the launch early, or null. */
  readonly fault: string | null;
  readonly metrics: Metrics;
  /** Lines that the launch came to, by file and number. */
  readonly lines: readonly LineProfile[];
  /** Barriers with no access to memory between them and the barrier before, or the end of the kernel. */
  readonly needlessBarriers: readonly { readonly file: string; readonly line: number; readonly warps: number }[];
}

const OPERATION_NAMES: Readonly<Record<AccessOperation, string>> = {
  load: "ld",
  store: "st",
  atomic: "atom",
  reduction: "red",
};

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

export function launchProfile({ launch, run, fault, counts, touched }: CountedLaunch): LaunchProfile {
  const all = new MetricSum();
  const lines = new Map<string, LineSum>();
  const needlessBarriers: { file: string; line: number; warps: number }[] = [];
  const lineOf = (location: SourceLocation | null): LineSum | null => {
    const at = userLocation(location);
    if (at === null) return null;
    const key = `${at.file}:${at.line}`;
    let line = lines.get(key);
    if (line === undefined) lines.set(key, (line = new LineSum(at)));
    return line;
  };
  const executed = new Map(counts.flatMap((one) => (one.site.kind === "block" ? [[one.site, one] as const] : [])));
  for (const [site, { counters }] of executed) {
    const [warps, threads] = warpsAndThreads(counters);
    for (const { work, count, location } of site.work) {
      for (const sum of [all, lineOf(location)?.sum]) sum?.addWork(work, count, warps, threads);
    }
    for (const location of site.needlessBarriers) {
      const at = userLocation(location);
      if (at !== null) needlessBarriers.push({ file: at.file.replace(/^\.\//, ""), line: at.line, warps });
    }
    if (site.isEntry && site.function.isKernel) all.add("smsp__warps_launched.sum", warps);
  }
  for (const one of counts) {
    const { site, counters } = one;
    if (site.kind === "branch") {
      const divergent = counters[0]?.[BRANCH_COUNTERS.divergent] ?? 0;
      for (const sum of [all, lineOf(site.location)?.sum]) sum?.add(DIVERGENT, divergent);
    } else if (site.kind === "access") {
      for (const access of accessesOf(site, one, executed)) {
        all.addAccess(access);
        lineOf(site.location)?.addAccess(access);
      }
    }
  }
  all.add("dram__bytes_read.sum", SECTOR_BYTES * touched.read);
  all.add("dram__bytes_write.sum", SECTOR_BYTES * touched.written);
  return {
    ordinal: launch.ordinal,
    kernel: launch.kernel,
    source: sourceOf(launch.function?.location ?? null),
    grid: launch.grid,
    block: launch.block,
    dynamicSharedBytes: launch.sharedBytes,
    engine: run.engine,
    elapsedMs: run.elapsedMs,
    fault: fault?.kind ?? null,
    metrics: all.metrics(),
    needlessBarriers,
    lines: [...lines.values()]
      .map((line) => line.profile())
      .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line),
  };
}

function sourceOf(location: SourceLocation | null): LaunchProfile["source"] {
  const at = userLocation(location);
  return at === null ? null : { file: at.file.replace(/^\.\//, ""), line: at.line };
}

const SPACES = ["global", "shared", "local"] as const;

/** What a site accessed, in each space. */
function accessesOf(
  site: AccessSite,
  { counters, samples }: SiteCounts,
  executed: ReadonlyMap<BlockSite, SiteCounts>,
): AccessProfile[] {
  const { operation, bytes, location } = site;
  const column = userLocation(location)?.column ?? 0;
  return counters.flatMap((own, index) => {
    const space = site.space === "generic" ? (SPACES[index] as (typeof SPACES)[number]) : site.space;
    const [requests, threads] =
      site.space === "generic"
        ? [own[ACCESS_COUNTERS.requests] as number, own[ACCESS_COUNTERS.threads] as number]
        : warpsAndThreads(executed.get(site.block)?.counters ?? []);
    if (requests === 0) return [];
    return [
      {
        operation,
        space,
        bytes,
        column,
        requests,
        threads,
        transactions: own[ACCESS_COUNTERS.transactions] as number,
        ideal: own[ACCESS_COUNTERS.ideal] as number,
        distinct: own[ACCESS_COUNTERS.distinct] as number,
        sample: accessSample(space, samples[index] ?? null),
      },
    ];
  });
}

function warpsAndThreads(counters: SiteCounts["counters"]): [warps: number, threads: number] {
  return [counters[0]?.[WARP_COUNTERS.warps] ?? 0, counters[0]?.[WARP_COUNTERS.threads] ?? 0];
}

function accessSample(space: AccessProfile["space"], sample: LaneSample | null): AccessSample | null {
  if (sample === null) return null;
  const { transactions, lanes, addresses } = sample;
  const unit = space === "shared" ? BANKS * BANK_BYTES : SECTOR_BYTES;
  const lowest = Math.min(...lanesOf(lanes).map((lane) => addresses[lane] as number));
  const first = Math.floor(lowest / unit) * unit;
  return {
    transactions,
    lanes,
    addresses: Array.from(addresses, (address, lane) => ((lanes >>> lane) & 1 ? address - first : 0)),
  };
}

const DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum";

class MetricSum {
  readonly #sums = new Map<string, number>();

  add(name: string, amount: number): void {
    if (amount !== 0) this.#sums.set(name, (this.#sums.get(name) ?? 0) + amount);
  }

  addWork(work: WorkClass, count: number, warps: number, threads: number): void {
    this.add("smsp__inst_executed.sum", count * warps);
    this.add("smsp__thread_inst_executed.sum", count * threads);
    const name = THREAD_METRICS[work];
    if (name !== undefined) this.add(`smsp__sass_thread_inst_executed_op_${name}_pred_on.sum`, count * threads);
    if (work === "special") this.add("smsp__inst_executed_pipe_xu.sum", count * warps);
    if (work === "tensor") this.add("smsp__inst_executed_pipe_tensor.sum", count * warps);
    if (work === "barrier") this.add("smsp__inst_executed_op_barrier.sum", count * warps);
  }

  addAccess({ operation, space, requests, transactions, ideal }: AccessProfile): void {
    const op = OPERATION_NAMES[operation];
    if (space === "shared") {
      this.add(`smsp__inst_executed_op_shared_${op}.sum`, requests);
      this.add(`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`, transactions);
      this.add(`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${op}.sum`, Math.max(0, transactions - ideal));
      return;
    }
    this.add(`l1tex__t_requests_pipe_lsu_mem_${space}_op_${op}.sum`, requests);
    this.add(`l1tex__t_sectors_pipe_lsu_mem_${space}_op_${op}.sum`, transactions);
    if (space === "global") {
      this.add("memory_l2_theoretical_sectors_global", transactions);
      this.add("memory_l2_theoretical_sectors_global_ideal", ideal);
    }
  }

  metrics(): Metrics {
    return Object.fromEntries([...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

class LineSum {
  readonly sum: MetricSum = new MetricSum();
  readonly #location: SourceLocation;
  readonly #accesses = new Map<string, { -readonly [K in keyof AccessProfile]: AccessProfile[K] }>();

  constructor(location: SourceLocation) {
    this.#location = location;
  }

  /** Accesses of the same kind at one column are one: the same source, in several copies of a loop's body. */
  addAccess(access: AccessProfile): void {
    this.sum.addAccess(access);
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
    const { file, line, functionName } = this.#location;
    return {
      file: file.replace(/^\.\//, ""),
      line,
      function: functionName ?? null,
      metrics: this.sum.metrics(),
      accesses: [...this.#accesses.values()].sort((a, b) => a.column - b.column),
    };
  }
}
