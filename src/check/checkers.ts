/** The checkers by name. */
import type { Checker } from "./checker.ts";
import type { CheckerName } from "./finding.ts";
import { MemoryChecker } from "./memcheck/memory-checker.ts";
import { SyncChecker } from "./synccheck/sync-checker.ts";

const MAKERS: ReadonlyMap<CheckerName, () => Checker> = new Map<CheckerName, () => Checker>([
  ["memcheck", () => new MemoryChecker()],
  ["synccheck", () => new SyncChecker()],
]);

/** Checkers that there are. "api" watches the host program (runtime/api-checks), the others kernels. */
export const CHECKER_NAMES: readonly CheckerName[] = [...MAKERS.keys(), "api"];
/** Those that run when none is named. */
export const DEFAULT_CHECKERS: readonly CheckerName[] = CHECKER_NAMES;

/** A new checker of each name, for one device. */
export function createCheckers(names: readonly CheckerName[] = DEFAULT_CHECKERS): Checker[] {
  return [...MAKERS].filter(([name]) => names.includes(name)).map(([, make]) => make());
}
