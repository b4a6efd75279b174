/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Checked kernels, on Node.js.
 *
 *     import { check } from "heddle/check";
 */
import { createCheck, type Check } from "./library/check.ts";
import { callerPlace } from "./library/caller-place-node.ts";
import { nodeEnvironment } from "./library/environment-node.ts";
import { sourceLines } from "./library/source-lines-node.ts";

/** See Check. */
export const check: Check = createCheck(nodeEnvironment(), { linesOf: sourceLines, here: callerPlace });

export type { Leak, SteppedAside } from "./check/checks.ts";
export type { CheckerName, Extent, Finding, LaunchName, Note } from "./check/finding.ts";
export type { MemoryDetails, MemoryFault } from "./check/memcheck/memory-checker.ts";
export type { Check, CheckOptions, CheckReport } from "./library/check.ts";
