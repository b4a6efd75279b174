/**
 * Profiled kernels, on Node.js.
 *
 *     import { profile } from "heddle/profile";
 */
import { demangle } from "./base/demangle.ts";
import { nodeEnvironment } from "./library/environment-node.ts";
import { createProfile, type Profile } from "./library/profile.ts";
import { sourceLines } from "./library/source-lines-node.ts";
import { createProfiler, type TimeProfiler } from "./library/time-profiler.ts";
import { writeText } from "./library/write-text-node.ts";
import type { ProfilePageOptions } from "./profile/page-kernel.ts";
import { profilePage as makePage } from "./profile/profile-page.ts";
import type { ProfileReport } from "./profile/profile-report.ts";

/** See Profile. */
export const profile: Profile = createProfile(nodeEnvironment(), sourceLines);

/**
 * The profile as one HTML page that needs no other file.
 *
 *     writeFileSync("profile.html", profilePage(result, { title: "transpose.cu" }));
 */
export function profilePage(
  report: ProfileReport,
  options: { readonly title: string } & Partial<ProfilePageOptions>,
): string {
  return makePage(report, { readable: demangle, linesOf: sourceLines, ...options });
}

/** See TimeProfiler. */
export const profiler: TimeProfiler = createProfiler(writeText);

export type { Hint, HintKind } from "./profile/hints/hint.ts";
export type { KernelFacts, LaunchFacts } from "./profile/launch-facts.ts";
export type { AccessProfile, CallProfile, LineProfile, Metrics } from "./profile/line-profile.ts";
export type { Occupancy, OccupancyLimit } from "./profile/occupancy.ts";
export type { PredictedTime, TimeUnit, UnitTime } from "./profile/time-model.ts";
export type { GpuPeaks } from "./profile/gpu-rates.ts";
export type { ProfilePageOptions } from "./profile/page-kernel.ts";
export type { ProfiledLaunch, ProfileReport } from "./profile/profile-report.ts";
export type { Profile, ProfileOptions, ProfileResult } from "./library/profile.ts";
export type { RecordedTimes, TimeProfiler } from "./library/time-profiler.ts";
export type {
  MeasuredKernel,
  MeasuredReport,
  MeasuredTimes,
  MeasuredTransfer,
} from "./profile/timeline/measured-report.ts";
export type { OperationOrder, OperationRow, OperationTableOptions } from "./profile/timeline/operation-table.ts";
export type {
  Annotation,
  OperationKind,
  TimeSource,
  Timeline,
  TimelineCall,
  TimelineDevice,
  TimelineLaunch,
  TimelineMark,
  TimelineOperation,
  TimelineRange,
  TimelineStream,
} from "./profile/timeline/timeline.ts";
