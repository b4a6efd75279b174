/** Sessions of a page: each request is worked on by a dedicated worker of its own (session-worker-browser.ts). */
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import { Interrupted } from "../measure/sampling.ts";
import { createActivityMemory, readActivity } from "./activity.ts";
import { errorOf } from "./error-report.ts";
import type { Emit, ProgramEnd } from "./events.ts";
import type { ProgramRequest, SessionRequest } from "./request.ts";
import type { ResultOf, Session } from "./session.ts";
import type { WorkerOrder, WorkerReply } from "./session-worker-browser.ts";
import { SessionRun } from "./session-run.ts";

export interface BrowserSessionOptions {
  /**
   * A worker that has done its work waits for the next request, with the compiler that it has loaded. Default false:
   * every request has a worker of its own.
   */
  readonly keepsWorker?: boolean;
}

export interface BrowserSession extends Session {
  /**
   * Gets ready for a program like this one, while there is nothing else to do: loads the compiler, lets its passes wait
   * for the source, opens a device. For sessions that keep their worker.
   */
  prepare(request: ProgramRequest): void;
}

export function openBrowserSession(
  locations: BrowserLocations,
  { keepsWorker = false }: BrowserSessionOptions = {},
): BrowserSession {
  const workers = new Workers(keepsWorker);
  return {
    prepare: (request) => {
      if (!keepsWorker) return;
      const worker = workers.take();
      worker.postMessage({ kind: "prepare", locations, request } satisfies WorkerOrder);
      workers.giveBack(worker);
    },
    start: <R extends SessionRequest>(request: R, listener?: Emit) =>
      new SessionRun((emit, signal) => inWorker(request, locations, workers, emit, signal), listener),
  };
}

/** Workers that wait for work. */
class Workers {
  readonly #keeps: boolean;
  #idle: Worker | null = null;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  take(): Worker {
    const idle = this.#idle;
    this.#idle = null;
    return (
      idle ??
      new Worker(new URL("./session-worker-browser.js", import.meta.url), { type: "module", name: "heddle session" })
    );
  }

  /** Of several the last one is kept: it has worked longest, or most lately. */
  giveBack(worker: Worker): void {
    const surplus = this.#keeps ? this.#idle : worker;
    if (this.#keeps) this.#idle = worker;
    surplus?.terminate();
  }
}

function inWorker<R extends SessionRequest>(
  request: R,
  locations: BrowserLocations,
  workers: Workers,
  emit: Emit,
  signal: AbortSignal,
): Promise<ResultOf<R>> {
  const activity = typeof SharedArrayBuffer === "function" ? createActivityMemory() : null;
  const timeout = "timeout" in request ? request.timeout : null;
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
        resolve(end as ResultOf<R>);
      });
    const onAbort = (): void => stop("caller");
    signal.addEventListener("abort", onAbort);
    const onError = ({ message }: ErrorEvent): void =>
      finish(() => reject(new Error(`BUG: the session's worker failed: ${message || "its script did not load"}`)));
    worker.addEventListener("error", onError, listening);
    const onMessage = ({ data }: MessageEvent<WorkerReply>): void => {
      if (data.kind === "result") return finish(() => resolve(data.result as ResultOf<R>), true);
      if (data.kind === "devices") return void (memories = data.memories);
      // After what is no mistake of ours the worker is as it was.
      if (data.kind === "failed") return finish(() => reject(errorOf(data.report)), data.report.code !== "bug");
      // The program blocks its worker, so the page counts its time.
      if (data.event.kind === "started" && timeout !== null) timer = setTimeout(() => stop("timeout"), timeout * 1000);
      emit(data.event);
    };
    worker.addEventListener("message", onMessage, listening);
    const order: WorkerOrder = {
      kind: "perform",
      locations,
      request: "timeout" in request ? { ...request, timeout: null } : request,
      activity,
    };
    worker.postMessage(order);
  });
}
