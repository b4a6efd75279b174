/** What a GPU took for a program's kernels and copies, from events around each. Plain data. */
import type { Dim3 } from "../../base/dim3.ts";
import type { DeviceProperties } from "../../device/device.ts";
import { launchFacts, type LaunchFacts } from "../launch-facts.ts";
import type { Timeline, TimelineLaunch, TimelineOperation } from "./timeline.ts";

/** Times of the same work, done several times. */
export interface MeasuredTimes {
  readonly count: number;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** Between the quarter and the three quarters of the sorted times: the middle half lies in it. */
  readonly middleHalfMs: number;
  readonly totalMs: number;
  /** `totalMs` over the time of all work of the device, from 0 to 1. */
  readonly share: number;
}

/** Launches of one kernel with one shape. */
export interface MeasuredKernel extends MeasuredTimes {
  /** Mangled. */
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  /** Memory of a thread for what does not fit into registers, and for its arrays. */
  readonly localBytesPerThread: number;
  readonly facts: LaunchFacts;
}

/** Copies of one direction, or fills. */
export interface MeasuredTransfer extends MeasuredTimes {
  readonly name: string;
  readonly bytes: number;
}

export interface MeasuredReport {
  readonly gpu: { readonly name: string; readonly computeCapability: string; readonly multiprocessors: number };
  /** Those that took longest first. */
  readonly kernels: readonly MeasuredKernel[];
  readonly transfers: readonly MeasuredTransfer[];
  readonly notRecorded: number;
  /** Work before a fault whose time is unknown. */
  readonly untimed: number;
}

export function measuredReport(timeline: Timeline, gpu: DeviceProperties): MeasuredReport {
  const { operations, notRecorded, untimed } = timeline;
  const work = operations.filter(({ kind }) => kind !== "host function");
  const allMs = work.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const { major, minor } = gpu.computeCapability;
  const byTime = (a: MeasuredTimes, b: MeasuredTimes): number => b.totalMs - a.totalMs;
  return {
    gpu: { name: gpu.name, computeCapability: `${major}.${minor}`, multiprocessors: gpu.multiProcessorCount },
    kernels: sameWork(work, ({ kind }) => kind === "kernel")
      .map((same) => measuredKernel(same, allMs, gpu))
      .sort(byTime),
    transfers: sameWork(work, ({ bytes }) => bytes !== null)
      .map((same) => ({
        name: (same[0] as TimelineOperation).name,
        bytes: same.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
        ...measuredTimes(same, allMs),
      }))
      .sort(byTime),
    notRecorded,
    untimed,
  };
}

/** Lists of operations that ask for the same. */
function sameWork(
  operations: readonly TimelineOperation[],
  isWanted: (operation: TimelineOperation) => boolean,
): TimelineOperation[][] {
  const groups = new Map<string, TimelineOperation[]>();
  for (const operation of operations.filter(isWanted)) {
    const { name, launch } = operation;
    const key = JSON.stringify([name, launch?.grid, launch?.block, launch?.dynamicSharedBytes]);
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  return [...groups.values()];
}

function measuredKernel(same: readonly TimelineOperation[], allMs: number, gpu: DeviceProperties): MeasuredKernel {
  const { name, launch } = same[0] as TimelineOperation;
  const { grid, block, dynamicSharedBytes, staticSharedBytes, localBytesPerThread, registersPerThread } =
    launch as TimelineLaunch;
  const kernel = {
    registersPerThread: registersPerThread ?? 0,
    registersFrom: "driver" as const,
    staticSharedBytes,
    spillBytes: null,
  };
  return {
    kernel: name,
    grid,
    block,
    dynamicSharedBytes,
    localBytesPerThread,
    ...measuredTimes(same, allMs),
    facts: launchFacts({ grid, block, dynamicSharedBytes }, kernel, gpu),
  };
}

function measuredTimes(same: readonly TimelineOperation[], allMs: number): MeasuredTimes {
  const times = same.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const totalMs = times.reduce((sum, ms) => sum + ms, 0);
  return {
    count: times.length,
    medianMs: quantile(times, 0.5),
    minMs: times[0] as number,
    maxMs: times.at(-1) as number,
    middleHalfMs: quantile(times, 0.75) - quantile(times, 0.25),
    totalMs,
    share: allMs === 0 ? 0 : totalMs / allMs,
  };
}

/** Between two values by the straight line. @param sorted not empty */
function quantile(sorted: readonly number[], part: number): number {
  const at = part * (sorted.length - 1);
  const [low, high] = [Math.floor(at), Math.ceil(at)];
  const [a, b] = [sorted[low] as number, sorted[high] as number];
  return a + (b - a) * (at - low);
}
