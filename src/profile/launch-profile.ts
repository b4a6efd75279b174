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
import type { AccessProfile, AccessSample, LineProfile, Metrics } from "./line-profile.ts";
import { DIVERGENT, LineSum, MetricSum } from "./line-sums.ts";
import type { CountedLaunch, SiteCounts } from "./profiler.ts";

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
  /** Lines that divide integers by what is no constant, with the instructions that warps execute for that. */
  readonly divisions: readonly { readonly file: string; readonly line: number; readonly instructions: number }[];
  /** Numbers of two bytes that threads make floats of. */
  readonly widenedHalves: number;
  /** Of all warps: how often they wait for loads of global memory, and cycles of the instructions in between. */
  readonly waits: { readonly loads: number; readonly cycles: number };
  /** What each innermost loop, and what is in no loop, loads and stores of each array of global memory. */
  readonly loops: readonly LoopAccesses[];
  /** Bytes of sectors that atomic operations touch, and of those that the launch before this one wrote. */
  readonly touched: { readonly atomicBytes: number; readonly fromLaunchBefore: number };
}

export interface LoopAccesses {
  /** The first access. */
  readonly file: string;
  readonly line: number;
  readonly isLoop: boolean;
  /** A parameter or a variable; null: not known. */
  readonly array: string | null;
  /** Of loads. */
  readonly requests: number;
  /** Of them, asynchronous copies to shared memory, and those in loops whose steps end at a barrier. */
  readonly asynchronous: number;
  readonly inSteps: number;
  readonly sectors: number;
  /** Sectors of loads, and of stores, if lanes lay side by side. */
  readonly ideal: number;
  readonly stored: number;
}

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
  const sumsOf = (location: SourceLocation | null): readonly MetricSum[] => {
    const line = lineOf(location);
    return line === null ? [] : [line.sum, line.callOf(location as SourceLocation)];
  };
  const loops = new Map<string, { -readonly [K in keyof LoopAccesses]: LoopAccesses[K] }>();
  const divisions: Divisions = new Map();
  const waits = { loads: 0, cycles: 0 };
  const executed = new Map(counts.flatMap((one) => (one.site.kind === "block" ? [[one.site, one] as const] : [])));
  for (const [site, { counters }] of executed) {
    const [warps, threads] = warpsAndThreads(counters);
    for (const { work, count, location } of site.work) {
      for (const sum of [all, ...sumsOf(location)]) sum.addWork(work, count, warps, threads);
    }
    for (const location of site.needlessBarriers) {
      const at = userLocation(location);
      if (at !== null) needlessBarriers.push({ file: at.file.replace(/^\.\//, ""), line: at.line, warps });
    }
    addDivisions(divisions, site, warps);
    for (const { location, product } of site.products)
      for (const sum of [all, ...sumsOf(location)]) sum.addProducts(threads / LANES, product);
    waits.loads += warps * site.chain.loads;
    waits.cycles += warps * site.chain.cycles;
    if (site.isEntry && site.function.isKernel) all.add("smsp__warps_launched.sum", warps);
  }
  for (const one of counts) {
    const { site, counters } = one;
    if (site.kind === "barrier") {
      for (const sum of [all, ...sumsOf(site.location)]) sum.addBarrier(counters[0] ?? []);
    } else if (site.kind === "branch") {
      const divergent = counters[0]?.[BRANCH_COUNTERS.divergent] ?? 0;
      for (const sum of [all, ...sumsOf(site.location)]) sum.add(DIVERGENT, divergent);
    } else if (site.kind === "transfer") {
      for (const sum of [all, ...sumsOf(site.location)]) sum.addTransfer(site.direction, counters[0] ?? []);
    } else if (site.kind === "access") {
      for (const access of accessesOf(site, one, executed)) {
        const isCopied = site.isAsynchronous && site.operation === "load";
        for (const sum of [all, ...sumsOf(site.location)]) sum.addAccess(access, isCopied);
        lineOf(site.location)?.addAccess(access, isCopied);
        addToLoop(loops, site, access);
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
    divisions: [...divisions.values()],
    widenedHalves: widenedIn(executed),
    waits,
    loops: [...loops.values()],
    touched: { atomicBytes: SECTOR_BYTES * touched.atomic, fromLaunchBefore: SECTOR_BYTES * touched.fromLaunchBefore },
    lines: [...lines.values()]
      .map((line) => line.profile())
      .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line),
  };
}

type Divisions = Map<string, LaunchProfile["divisions"][number]>;

function addDivisions(sums: Divisions, site: BlockSite, warps: number): void {
  for (const { location, instructions } of site.divisions) {
    const at = userLocation(location);
    if (at === null) continue;
    const key = `${at.file}:${at.line}`;
    const all = (sums.get(key)?.instructions ?? 0) + warps * instructions;
    sums.set(key, { file: at.file.replace(/^\.\//, ""), line: at.line, instructions: all });
  }
}

function widenedIn(executed: ReadonlyMap<BlockSite, SiteCounts>): number {
  let sum = 0;
  for (const [{ widenedHalves }, { counters }] of executed) sum += widenedHalves * warpsAndThreads(counters)[1];
  return sum;
}

function addToLoop(
  loops: Map<string, { -readonly [K in keyof LoopAccesses]: LoopAccesses[K] }>,
  { location, function: { name }, loop: number, array, isAsynchronous, isInSteps }: AccessSite,
  { operation, space, requests, transactions, ideal }: AccessProfile,
): void {
  const at = userLocation(location);
  if (at === null || space !== "global") return;
  const key = `${name} ${number} ${array}`;
  let loop = loops.get(key);
  if (loop === undefined) {
    const { file, line } = at;
    const none = { requests: 0, asynchronous: 0, inSteps: 0, sectors: 0, ideal: 0, stored: 0 };
    loops.set(key, (loop = { file: file.replace(/^\.\//, ""), line, isLoop: number >= 0, array, ...none }));
  }
  if (operation !== "load") loop.stored += ideal;
  else {
    loop.requests += requests;
    if (isAsynchronous) loop.asynchronous += requests;
    if (isInSteps) loop.inSteps += requests;
    loop.sectors += transactions;
    loop.ideal += ideal;
  }
}

function sourceOf(location: SourceLocation | null): LaunchProfile["source"] {
  const at = userLocation(location);
  return at === null ? null : { file: at.file.replace(/^\.\//, ""), line: at.line };
}

/** All lanes of a warp execute a product together, however its code counts them. */
const LANES = 32;

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
    if (requests === 0 || (site.only !== null && space !== site.only)) return [];
    return [
      {
        operation,
        space,
        bytes,
        column,
        requests: site.isSecondTurn ? 0 : requests,
        threads: site.isSecondTurn ? 0 : threads,
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
