/** What one bench finds out, as plain data: the rows of its table, of its JSON and of the file of results. */
import type { Comparison } from "./comparison.ts";
import type { ProfileReport } from "../profile/profile-report.ts";
import type { Configuration, Shape } from "../kernel-library/ladder.ts";
import type { Work } from "../measure/work.ts";
import type { Summary } from "../measure/statistics.ts";
import type { CacheState } from "../measure/stopwatch.ts";
import type { GpuClocks } from "../measure/gpu-clocks.ts";

/** Where and of what a result is. */
export interface Surroundings {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly heddle: string;
  /** Of the folder the ladder lies in; null where there is no repository. `dirty`: with changes. */
  readonly commit: string | null;
  readonly dirty: boolean;
  readonly machine: { readonly host: string; readonly cpu: string; readonly cores: number };
  readonly device: {
    readonly kind: "emulated" | "cuda";
    readonly name: string;
    readonly driver: string | null;
    readonly engine: string | null;
  };
}

export interface Trial {
  readonly configuration: Configuration;
  /** null: it cannot be used, and `problem` says why. */
  readonly medianMs: number | null;
  readonly problem: string | null;
}

export interface Timing {
  readonly cache: CacheState;
  readonly ms: Summary;
  /** No launch can be faster. */
  readonly floorMs: number;
  /** What the measured ceilings of the device would take. */
  readonly limitMs: number;
  /** "bytes" or "operations": which of them limits. */
  readonly limitedBy: "bytes" | "operations";
}

export type Verdict =
  | "ok"
  | "wrong" // an output is not the reference's
  | "refused" // right, but its time cannot be believed
  | "failed"; // it does not compile, cannot be launched, or faults

/** What the launches of a version make a GPU do, as `heddle profile` counts it. */
export interface VersionProfile extends ProfileReport {
  /** That the version was profiled at. */
  readonly shape: Shape;
}

/** Why there are no counters: the emulated device cannot run the version, for one. */
export interface NotProfiled {
  readonly absent: string;
}

export interface VersionResult {
  readonly version: string;
  /** The comment on top of the file, without its marks. */
  readonly idea: string;
  /** SHA-256 of the source and what it includes. */
  readonly source: string;
  readonly verdict: Verdict;
  /** Why it is not ok. */
  readonly problem: string | null;
  readonly configuration: Configuration | null;
  readonly trials: readonly Trial[];
  /** The first is what the table shows. */
  readonly timings: readonly Timing[];
  /**
   * Over all outputs of timed launches; where none were timed (`--check`, a version that failed), over those of the
   * checks that were passed.
   */
  readonly comparison: Comparison;
  /** Of its best configuration; absent: nothing was profiled. The file of results has none. */
  readonly profile?: VersionProfile | NotProfiled;
}

/** Something else that does the work, beside the versions. */
export interface RivalResult {
  readonly rival: string;
  /** Library or compiler, with version; null where it is absent. */
  readonly description: string | null;
  /** absent: not on this machine, as `problem` says; no fault. */
  readonly verdict: Verdict | "absent";
  readonly problem: string | null;
  readonly timings: readonly Timing[];
  readonly comparison: Comparison;
}

export interface LadderResult {
  readonly ladder: string;
  readonly summary: string;
  readonly shape: Shape;
  readonly work: Work;
  readonly checkedShapes: number;
  /** Fresh inputs come from it: `--seed` repeats them. */
  readonly seed: number;
  readonly clocks: { readonly before: GpuClocks | null; readonly after: GpuClocks | null };
  readonly versions: readonly VersionResult[];
  readonly rivals: readonly RivalResult[];
}

/** A line of the file of results. */
export interface ResultRecord extends LadderResult {
  readonly format: 1;
  readonly surroundings: Surroundings;
}

/** null: nothing was profiled, or it could not be. */
export function profileOf({ profile }: Pick<VersionResult, "profile">): VersionProfile | null {
  return profile === undefined || "absent" in profile ? null : profile;
}

export const mainTiming = ({ timings }: Pick<VersionResult, "timings">): Timing | null => timings[0] ?? null;

/** The fastest of those that are right and timed. */
export function fastest<R extends Pick<VersionResult, "timings"> & { readonly verdict: string }>(
  results: readonly R[],
): { readonly result: R; readonly medianMs: number } | null {
  const timed = results.flatMap((result) => {
    const timing = mainTiming(result);
    return result.verdict === "ok" && timing !== null ? [{ result, medianMs: timing.ms.median }] : [];
  });
  return timed.toSorted((a, b) => a.medianMs - b.medianMs)[0] ?? null;
}
