/**
 * A session works on requests (run a program, check it, bench ladders) and yields typed events. The command line and
 * the browser's entries are made of it; what differs between the places comes in as a SessionPlatform.
 */
import type { ResultRecord } from "../bench/results.ts";
import type { Emit, ProgramEnd } from "./events.ts";
import type { BenchPlatform } from "./perform-bench.ts";
import { performProgram, type ProgramPlatform } from "./perform-program.ts";
import type { BenchRequest, CodeRequest, CodeTexts, SessionRequest } from "./request.ts";
import { SessionRun } from "./session-run.ts";

/** What a session needs of the place that it works in. */
export interface SessionPlatform {
  readonly programs: ProgramPlatform;
  /** @param signal ends what the platform has started for the bench. */
  openBench(signal: AbortSignal): Promise<BenchPlatform>;
}

/** What a request ends with: how the program ended, the results of the ladders, or the code. */
export type ResultOf<R extends SessionRequest> = R extends BenchRequest
  ? readonly ResultRecord[]
  : R extends CodeRequest
    ? CodeTexts
    : ProgramEnd;

export interface Session {
  /**
   * Begins to work on a request.
   * @param listener is called with each event at once; without it, the run's iterator yields them.
   */
  start<R extends SessionRequest>(request: R, listener?: Emit): SessionRun<ResultOf<R>>;
}

/** A session whose work is done on the calling thread, and on those that the platform starts. */
export function openSession(platform: SessionPlatform): Session {
  return {
    start: <R extends SessionRequest>(request: R, listener?: Emit) =>
      new SessionRun((emit, signal) => perform(request, platform, emit, signal) as Promise<ResultOf<R>>, listener),
  };
}

/** Does what a request asks for. */
export async function perform(
  request: SessionRequest,
  platform: SessionPlatform,
  emit: Emit,
  signal: AbortSignal,
): Promise<ProgramEnd | readonly ResultRecord[] | CodeTexts> {
  if (request.kind === "code") {
    const { performCode } = await import("./perform-code.ts");
    return performCode(request, platform.programs);
  }
  if (request.kind !== "bench") return performProgram(request, platform.programs, emit, signal);
  // A program does not wait for the bench's modules.
  const { performBench } = await import("./perform-bench.ts");
  return performBench(request, await platform.openBench(signal), emit, signal);
}
