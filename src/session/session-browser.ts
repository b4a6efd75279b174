/** Sessions of a page: each request is worked on by a dedicated worker of its own (session-worker-browser.ts). */
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import { Interrupted } from "../measure/sampling.ts";
import { createActivityMemory, readActivity } from "./activity.ts";
import { errorOf } from "./error-report.ts";
import type { Emit, ProgramEnd } from "./events.ts";
import type { SessionRequest } from "./request.ts";
import type { ResultOf, Session } from "./session.ts";
import type { WorkerOrder, WorkerReply } from "./session-worker-browser.ts";
import { SessionRun } from "./session-run.ts";

export function openBrowserSession(locations: BrowserLocations): Session {
  return {
    start: <R extends SessionRequest>(request: R, listener?: Emit) =>
      new SessionRun((emit, signal) => inWorker(request, locations, emit, signal), listener),
  };
}

function inWorker<R extends SessionRequest>(
  request: R,
  locations: BrowserLocations,
  emit: Emit,
  signal: AbortSignal,
): Promise<ResultOf<R>> {
  const activity = typeof SharedArrayBuffer === "function" ? createActivityMemory() : null;
  const timeout = request.kind === "bench" ? null : request.timeout;
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./session-worker-browser.js", import.meta.url), {
      type: "module",
      name: "heddle session",
    });
    let memories: readonly WebAssembly.Memory[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (settle: () => void): void => {
      worker.terminate();
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const stop = (by: "caller" | "timeout"): void =>
      finish(() => {
        if (request.kind === "bench") return reject(new Interrupted());
        const end: ProgramEnd = {
          how: "stopped",
          by,
          activity: activity === null ? null : readActivity(activity, memories),
        };
        emit({ kind: "exit", end });
        resolve(end as ResultOf<R>);
      });
    const onAbort = (): void => stop("caller");
    signal.addEventListener("abort", onAbort);
    worker.addEventListener("error", ({ message }) =>
      finish(() =>
        reject(new Error(`BUG: the session's worker failed: ${message || "its script could not be loaded"}`)),
      ),
    );
    worker.addEventListener("message", ({ data }: MessageEvent<WorkerReply>) => {
      if (data.kind === "result") return finish(() => resolve(data.result as ResultOf<R>));
      if (data.kind === "devices") return void (memories = data.memories);
      if (data.kind === "failed") return finish(() => reject(errorOf(data.report)));
      // The program blocks its worker, so the page counts its time.
      if (data.event.kind === "started" && timeout !== null) timer = setTimeout(() => stop("timeout"), timeout * 1000);
      emit(data.event);
    });
    const order: WorkerOrder = {
      locations,
      request: request.kind === "bench" ? request : { ...request, timeout: null },
      activity,
    };
    worker.postMessage(order);
  });
}
