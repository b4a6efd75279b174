/** The checkers by name. */
import { AsyncChecker } from "./asynccheck/async-checker.ts";
import type { Checker } from "./checker.ts";
import type { CheckerName } from "./finding.ts";
import { InitializationChecker } from "./initcheck/initialization-checker.ts";
import { RaceChecker } from "./racecheck/race-checker.ts";
import { MemoryChecker } from "./memcheck/memory-checker.ts";
import { NumberChecker } from "./numbers/number-checker.ts";
import { SyncChecker } from "./synccheck/sync-checker.ts";

const MAKERS: ReadonlyMap<CheckerName, (options: CheckerOptions) => Checker> = new Map<
  CheckerName,
  (options: CheckerOptions) => Checker
>([
  ["memcheck", () => new MemoryChecker()],
  ["synccheck", () => new SyncChecker()],
  ["numbers", () => new NumberChecker()],
  ["initcheck", () => new InitializationChecker()],
  ["racecheck", (options) => new RaceChecker(options)],
  ["asynccheck", () => new AsyncChecker()],
]);

/** Checkers that there are. "api" watches the host program (runtime/api-checks), the others kernels. */
export const CHECKER_NAMES: readonly CheckerName[] = [...MAKERS.keys(), "api"];
/** Those that must be asked for: programs may mean what numbers finds. */
const OPT_IN: ReadonlySet<CheckerName> = new Set(["numbers"]);
/** Those that run when none is named. */
export const DEFAULT_CHECKERS: readonly CheckerName[] = CHECKER_NAMES.filter((name) => !OPT_IN.has(name));

export interface CheckerOptions {
  /**
   * The program has streams of its own: racecheck follows the work on them, too. It costs time, and another byte of
   * memory for each that kernels touch.
   */
  readonly streams?: boolean;
}

/** A new checker of each name, for one device. */
export function createCheckers(
  names: readonly CheckerName[] = DEFAULT_CHECKERS,
  options: CheckerOptions = {},
): Checker[] {
  return [...MAKERS].filter(([name]) => names.includes(name)).map(([, make]) => make(options));
}
