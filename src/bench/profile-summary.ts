/** The profiles of a ladder's versions in a line each: what text and page show of them. */
import { activeThreads } from "../profile/page-kernel.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import type { Hint, HintKind } from "../profile/hints/hint.ts";
import type { Metrics } from "../profile/line-profile.ts";
import type { ProfiledLaunch } from "../profile/profile-report.ts";
import { byteCount, percentText, timeText } from "../report/numbers.ts";
import { profileOf, type LadderResult, type VersionProfile, type VersionResult } from "./results.ts";

/** Of all launches of a version. */
export interface ProfileSummary {
  readonly version: string;
  /** By the model, all launches one after the other. */
  readonly microseconds: number;
  /** What limits the launch that takes longest. */
  readonly limiter: string;
  readonly dramBytes: number;
  /** Of a request to global memory; null: there was none. */
  readonly sectorsPerRequest: number | null;
  /** Of a request to shared memory; null: there was none. */
  readonly wavefrontsPerRequest: number | null;
  /** Threads of a warp that are active on average; null: nothing was executed. */
  readonly activeThreads: number | null;
  /** In theory, of the launch that takes longest; 1 is all warps. */
  readonly occupancy: number;
  /**
   * Of all launches, those of the longest first. Where the size is not the one that is benched, those about the size of
   * the grid are left out.
   */
  readonly hints: readonly Hint[];
}

export const PROFILE_COLUMNS = [
  "time (model)",
  "limited by",
  "DRAM",
  "sectors a request",
  "wavefronts a request",
  "active threads",
  "occupancy",
] as const;

/** Of each version that was profiled and launched something. */
export function summarizeProfiles({ versions, shape }: Pick<LadderResult, "versions" | "shape">): ProfileSummary[] {
  return versions.flatMap((version) => {
    const profile = profileOf(version);
    const summary = profile === null ? null : summarize(version.version, profile);
    if (profile === null || summary === null) return [];
    if (shapeText(profile.shape) === shapeText(shape)) return [summary];
    return [{ ...summary, hints: summary.hints.filter(({ kind }) => !OF_THE_GRID.includes(kind)) }];
  });
}

const OF_THE_GRID: readonly HintKind[] = ["small-grid", "tail"];

function summarize(version: string, { launches }: VersionProfile): ProfileSummary | null {
  const byTime = launches.toSorted((a, b) => b.predicted.microseconds - a.predicted.microseconds);
  const [longest] = byTime;
  if (longest === undefined) return null;
  const sum = (pattern: RegExp): number => sumOf(launches, pattern);
  const all: Metrics = {
    "smsp__inst_executed.sum": sum(/^smsp__inst_executed\.sum$/),
    "smsp__thread_inst_executed.sum": sum(/^smsp__thread_inst_executed\.sum$/),
  };
  return {
    version,
    microseconds: launches.reduce((total, { predicted }) => total + predicted.microseconds, 0),
    limiter: longest.predicted.limiter,
    dramBytes: sum(/^dram__bytes_(read|write)\.sum$/),
    sectorsPerRequest: ratio(sum(/^l1tex__t_sectors_.*_global_/), sum(/^l1tex__t_requests_.*_global_/)),
    wavefrontsPerRequest: ratio(
      sum(/l1tex_+data_pipe_lsu_wavefronts_mem_shared_op_/),
      sum(/^smsp__inst_executed_op_(shared_|ldgsts)/),
    ),
    activeThreads: activeThreads(all),
    occupancy: longest.facts.occupancy.part,
    hints: byTime.flatMap(({ hints }) => hints),
  };
}

/** What the columns show. */
export function profileCells(summary: ProfileSummary): string[] {
  const one = (value: number | null): string => (value === null ? "" : value.toFixed(1));
  return [
    timeText(summary.microseconds),
    summary.limiter,
    `${byteCount(summary.dramBytes)}`,
    one(summary.sectorsPerRequest),
    one(summary.wavefrontsPerRequest),
    one(summary.activeThreads),
    percentText(summary.occupancy),
  ];
}

/** By the rules of which GPU, and at which size. null: nothing was profiled. */
export function profileConditions({ versions }: Pick<LadderResult, "versions">): VersionProfile | null {
  return versions.map(profileOf).find((profile) => profile !== null) ?? null;
}

/** Versions that were to be profiled and could not be, with the reason. */
export function notProfiled(versions: readonly VersionResult[]): { version: string; why: string }[] {
  return versions.flatMap(({ version, profile }) =>
    profile !== undefined && "absent" in profile ? [{ version, why: profile.absent }] : [],
  );
}

function sumOf(launches: readonly ProfiledLaunch[], pattern: RegExp): number {
  let total = 0;
  for (const { metrics } of launches)
    for (const [name, value] of Object.entries(metrics)) if (pattern.test(name)) total += value;
  return total;
}

function ratio(a: number, b: number): number | null {
  return b === 0 ? null : a / b;
}
