/** Sessions of a page: each request is worked on by a dedicated worker of its own (session-worker-browser.ts). */
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import type { Emit } from "./events.ts";
import { inWorker, type WorkerSource } from "./in-worker-browser.ts";
import type { ProgramRequest, SessionRequest } from "./request.ts";
import type { ResultOf, Session } from "./session.ts";
import type { CompiledAhead, WorkerOrder, WorkerReply } from "./session-worker-browser.ts";
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
  /**
   * Compiles a program that may be started next: then it is started at once. For sessions that keep their worker.
   * @param onCompiled is not called when the worker is ended before, or when another program comes before its turn.
   */
  compileAhead(request: ProgramRequest, onCompiled: (ahead: CompiledAhead) => void): void;
}

export function openBrowserSession(
  locations: BrowserLocations,
  { keepsWorker = false }: BrowserSessionOptions = {},
): BrowserSession {
  const workers = new Workers(keepsWorker);
  let ahead = 0;
  return {
    prepare: (request) => {
      if (!keepsWorker) return;
      const worker = workers.take();
      worker.postMessage({ kind: "prepare", locations, request } satisfies WorkerOrder);
      workers.giveBack(worker);
    },
    compileAhead: (request, onCompiled) => {
      if (!keepsWorker) return;
      const id = ++ahead;
      const worker = workers.take();
      const listening = new AbortController();
      const onMessage = ({ data }: MessageEvent<WorkerReply>): void => {
        if (data.kind !== "compiled" || data.id < id) return;
        listening.abort();
        if (data.id === id) onCompiled(data.ahead);
      };
      worker.addEventListener("message", onMessage, listening);
      worker.postMessage({ kind: "compile", locations, request, id } satisfies WorkerOrder);
      workers.giveBack(worker);
    },
    start: <R extends SessionRequest>(request: R, listener?: Emit) =>
      new SessionRun((emit, signal) => inWorker<ResultOf<R>>(request, locations, workers, emit, signal), listener),
  };
}

/** Workers that wait for work. */
class Workers implements WorkerSource {
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
