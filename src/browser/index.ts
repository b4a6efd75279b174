/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Heddle in a page, with nothing to install: run a CUDA program, check it, profile it, bench a ladder.
 *
 * The files of the packages are fetched as they are; no bundler is needed. On a cross-origin isolated page (headers
 * Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp) blocks run on all cores,
 * elsewhere on one.
 */
export { runProgram, type ProgramOutcome } from "./run-program.ts";
export { checkProgram, type BrowserCheckOptions, type CheckedProgram } from "./check-program.ts";
export { profileProgram, type BrowserProfileOptions, type ProfiledProgram } from "./profile-program.ts";
export { benchLadder, type BrowserBenchOptions } from "./bench-ladder.ts";
export { openSession, type BrowserSessionLocations } from "./open-session.ts";
export { HeddleError, type ErrorCode } from "../base/diagnostics.ts";
export type { ResultRecord, RivalResult, Timing, Trial, VersionResult } from "../bench/results.ts";
export type { CheckerName, Finding } from "../check/finding.ts";
export type { ProgramCheckReport } from "../session/check-report.ts";
export type { Activity, CheckResult, KernelSummary, ProgramEnd, ProgramExit, SessionEvent } from "../session/events.ts";
export type {
  BenchRequest,
  BenchSettings,
  CodeRequest,
  CodeTexts,
  DeviceRequest,
  LadderTexts,
  ProgramRequest,
  ProgramSource,
  RunSettings,
  SessionRequest,
} from "../session/request.ts";
export type { Session } from "../session/session.ts";
export type { BrowserSession } from "../session/session-browser.ts";
export type { SessionRun } from "../session/session-run.ts";
export type { PackageLocations } from "./locations.ts";
export type { BrowserProgramOptions } from "./program-options.ts";
