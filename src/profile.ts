/**
 * Profiled kernels, on Node.js.
 *
 *     import { profile } from "heddle/profile";
 */
import { nodeEnvironment } from "./library/environment-node.ts";
import { createProfile, type Profile } from "./library/profile.ts";
import { sourceLines } from "./library/source-lines-node.ts";

/** See Profile. */
export const profile: Profile = createProfile(nodeEnvironment(), sourceLines);

export { hintsFor, type Hint } from "./profile/hints.ts";
export type { KernelFacts, LaunchFacts } from "./profile/launch-facts.ts";
export type { AccessProfile, LineProfile, Metrics } from "./profile/launch-profile.ts";
export type { Occupancy, OccupancyLimit } from "./profile/occupancy.ts";
export type { ProfiledLaunch, ProfileReport } from "./profile/profile-report.ts";
export type { Profile, ProfileOptions, ProfileResult } from "./library/profile.ts";
