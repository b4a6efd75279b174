/** The thread that a bench runs in (bench-thread-node.ts). A launch may block it. */
import { parentPort, workerData } from "node:worker_threads";
import type { Surroundings } from "../bench/results.ts";
import { Interrupted } from "../measure/sampling.ts";
import { reportOf, type ErrorReport } from "./error-report.ts";
import type { SessionEvent } from "./events.ts";
import { openNodeSession } from "./platform-node.ts";
import type { BenchRequest } from "./request.ts";

/** Where a ladder's file comes from, if it does not lie in its repository. */
export type Origin = Pick<Surroundings, "commit" | "dirty"> & { readonly file: string };

export interface BenchWorkerData {
  readonly request: BenchRequest;
  /** Heddle's own. */
  readonly version: string;
  readonly origins: readonly Origin[] | null;
}

/** The only message to the thread: the bench ends before its next launch. */
export type BenchOrder = "stop";

export type BenchMessage =
  | { readonly kind: "event"; readonly event: SessionEvent }
  | { readonly kind: "finished" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly report: ErrorReport };

const UNKNOWN: Pick<Surroundings, "commit" | "dirty"> = { commit: null, dirty: false };

async function main({ request, version, origins }: BenchWorkerData): Promise<BenchMessage> {
  const origin = (file: string): Pick<Surroundings, "commit" | "dirty"> =>
    origins?.find((known) => known.file === file) ?? UNKNOWN;
  const session = openNodeSession({ version, ...(origins === null ? {} : { origin }) });
  const run = session.start(request, (event) => reply({ kind: "event", event }));
  parentPort?.on("message", () => run.stop());
  try {
    await run.result;
    return { kind: "finished" };
  } catch (error) {
    return error instanceof Interrupted ? { kind: "interrupted" } : { kind: "failed", report: reportOf(error) };
  }
}

function reply(message: BenchMessage): void {
  parentPort?.postMessage(message);
}

reply(await main(workerData as BenchWorkerData));
parentPort?.close();
