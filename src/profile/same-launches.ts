/** Launches of one kernel with one shape and the same counters: reports show them once. */
import type { ProfiledLaunch } from "./profile-report.ts";

export interface SameLaunches {
  readonly first: ProfiledLaunch;
  readonly count: number;
}

export function sameLaunches(launches: readonly ProfiledLaunch[]): SameLaunches[] {
  const groups = new Map<string, { first: ProfiledLaunch; count: number }>();
  for (const launch of launches) {
    const { kernel, grid, block, dynamicSharedBytes, metrics, fault } = launch;
    const key = JSON.stringify([kernel, grid, block, dynamicSharedBytes, metrics, fault]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: launch, count: 1 });
    else known.count++;
  }
  return [...groups.values()];
}
