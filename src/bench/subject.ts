/** What is checked and timed alike: a version of a ladder in one configuration, or a rival. */
import { HeddleError } from "../base/diagnostics.ts";
import { dtypeBytes } from "../base/dtypes.ts";
import type { Gpu } from "../library/gpu.ts";
import { describeMismatch, joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import type { Ladder, Shape } from "../kernel-library/ladder.ts";
import type { Limits } from "../measure/limits.ts";
import { physicalFloorMs } from "../measure/physical-floor.ts";
import { measure, type MeasuredRun } from "./timed-run.ts";
import { type SamplingPlan } from "../measure/sampling.ts";
import { type Timing, type VersionResult } from "./results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { summarize } from "../measure/statistics.ts";
import type { Stopwatch } from "../measure/stopwatch.ts";
import { Workspace } from "./workspace.ts";

/** A launch that is this far below the floor is refused: the clocks of GPUs have a resolution of half a microsecond. */
const CLOCK_RESOLUTION_MS = 0.0005;

/** A device, and what goes with it. */
export interface Bench {
  readonly gpu: Gpu;
  readonly stopwatch: Stopwatch;
  readonly limits: Pick<Limits, "ceilings">;
  /** Of the machine that an emulated device runs on. */
  readonly cores: number;
}

export interface Subject {
  /** What messages add: " with BLOCK=128". */
  readonly note: string;
  /** Makes its launches for the arrays of a workspace, and gives them to `use`; afterwards they are gone. */
  with<T>(workspace: Workspace, use: (run: MeasuredRun) => Promise<T>): Promise<T>;
}

export type Failure = Pick<VersionResult, "verdict" | "problem">;

/** A subject cannot be used; not thrown beyond bench-ladder.ts. */
export class SubjectProblem extends Error {
  readonly failure: Failure;
  constructor(verdict: VersionResult["verdict"], problem: string) {
    super(problem);
    this.failure = { verdict, problem };
  }
}

/** One launch on the inputs of checks, which are the same in every run; all elements are compared. */
export async function checkSubject(
  { gpu }: Bench,
  ladder: Ladder,
  shape: Shape,
  subject: Subject,
): Promise<Comparison> {
  const workspace = new Workspace(gpu, ladder, shape, [0]);
  try {
    const unchanged = await workspace.unchanged(0);
    if (unchanged !== null)
      throw new HeddleError(
        "bad-arguments",
        `at ${shapeText(shape)} the reference leaves "${unchanged}", which is changed in place, as it was: a ` +
          `kernel that does nothing would be right`,
      );
    return await subject.with(workspace, async (run) => {
      await run.launch(0, null);
      const comparison = await run.compare(0, true);
      if (comparison.wrong > 0)
        throw new SubjectProblem("wrong", `at ${shapeText(shape)}${subject.note}: ${describeMismatch(comparison)}`);
      return comparison;
    });
  } finally {
    if (gpu.raw.fault === null) workspace.free();
  }
}

export interface TimingJob {
  readonly ladder: Ladder;
  readonly workspace: Workspace;
  readonly plan: SamplingPlan;
  readonly signal: AbortSignal;
}

/** As often as the plan says, for each state of the cache that the device can distinguish. */
export async function timeSubject(
  { gpu, stopwatch, limits, cores }: Bench,
  subject: Subject,
  { ladder, workspace, plan, signal }: TimingJob,
): Promise<{ timings: readonly Timing[]; comparison: Comparison }> {
  const { shape } = workspace;
  const work = ladder.work(shape);
  const inputBytes = Object.values(ladder.inputs).reduce(
    (sum, { dtype, length }) => sum + dtypeBytes(dtype) * length(shape),
    0,
  );
  return subject.with(workspace, async (run) => {
    const timings: Timing[] = [];
    let total = NOTHING_COMPARED;
    for (const cache of stopwatch.caches) {
      const { times, comparison } = await measure(run, cache, plan, signal);
      if (comparison.wrong > 0)
        throw new SubjectProblem("wrong", `in a timed launch${subject.note}: ${describeMismatch(comparison)}`);
      total = joinComparisons(total, comparison);
      const { copyGBs, operationsG } = await limits.ceilings(work, cache);
      const [bytesMs, operationsMs] = [work.bytes / copyGBs / 1e6, work.operations / operationsG / 1e6];
      timings.push({
        cache,
        ms: summarize(times),
        floorMs: physicalFloorMs({ raw: gpu.raw, properties: gpu.properties, cores }, { ...work, inputBytes }, cache),
        limitMs: Math.max(bytesMs, operationsMs),
        limitedBy: bytesMs >= operationsMs ? "bytes" : "operations",
      });
    }
    return { timings, comparison: total };
  });
}

/** Faster than the hardware can be: something was not done. */
export function believable(timings: readonly Timing[]): Failure {
  for (const { cache, ms, floorMs } of timings) {
    if (ms.min + CLOCK_RESOLUTION_MS < floorMs)
      return {
        verdict: "refused",
        problem:
          `a ${cache} launch took ${ms.min.toPrecision(3)} ms, and the work cannot be done in less than ` +
          `${floorMs.toPrecision(3)} ms`,
      };
  }
  return { verdict: "ok", problem: null };
}
