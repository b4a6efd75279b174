/** Requests that dedicated workers of a page work on: their events, their results, and how they are stopped. */
import { Interrupted } from "../measure/sampling.ts";
import { createActivityMemory, readActivity } from "./activity.ts";
import { errorOf } from "./error-report.ts";
import type { Emit, ProgramEnd } from "./events.ts";
import type { WorkerReply } from "./session-worker-browser.ts";

/** Where workers come from, and where they go when they have done their work. */
export interface WorkerSource {
  take(): Worker;
  giveBack(worker: Worker): void;
}

/**
 * Has a request worked on. The worker gets it with the locations, and answers as session-worker-browser.ts does.
 * @param request one with a `timeout` is a program, whose worker can be ended at any time.
 */
export function inWorker<R>(
  request: object & { readonly timeout?: number | null },
  locations: object,
  workers: WorkerSource,
  emit: Emit,
  signal: AbortSignal,
): Promise<R> {
  const activity = typeof SharedArrayBuffer === "function" ? createActivityMemory() : null;
  const { timeout = null } = request;
  return new Promise((resolve, reject) => {
    const worker = workers.take();
    const listening = new AbortController();
    let memories: readonly WebAssembly.Memory[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (settle: () => void, isFit = false): void => {
      listening.abort();
      if (isFit) workers.giveBack(worker);
      else worker.terminate();
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const stop = (by: "caller" | "timeout"): void =>
      finish(() => {
        if (!("timeout" in request)) return reject(new Interrupted());
        const end: ProgramEnd = {
          how: "stopped",
          by,
          activity: activity === null ? null : readActivity(activity, memories),
        };
        emit({ kind: "exit", end });
        resolve(end as R);
      });
    const onAbort = (): void => stop("caller");
    signal.addEventListener("abort", onAbort);
    const onError = ({ message }: ErrorEvent): void =>
      finish(() => reject(new Error(`BUG: the session's worker failed: ${message || "its script did not load"}`)));
    worker.addEventListener("error", onError, listening);
    const onMessage = ({ data }: MessageEvent<WorkerReply>): void => {
      if (data.kind === "result") return finish(() => resolve(data.result as R), true);
      // To another one's order.
      if (data.kind === "compiled") return;
      if (data.kind === "devices") return void (memories = data.memories);
      // After what is no mistake of ours the worker is as it was.
      if (data.kind === "failed") return finish(() => reject(errorOf(data.report)), data.report.code !== "bug");
      // The program blocks its worker, so the page counts its time.
      if (data.event.kind === "started" && timeout !== null) timer = setTimeout(() => stop("timeout"), timeout * 1000);
      emit(data.event);
    };
    worker.addEventListener("message", onMessage, listening);
    worker.postMessage({
      kind: "perform",
      locations,
      request: "timeout" in request ? { ...request, timeout: null } : request,
      activity,
    });
  });
}
