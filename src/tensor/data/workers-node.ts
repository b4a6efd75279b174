/** Threads that make examples of a dataset beside the program. */
import { Worker } from "node:worker_threads";
import { HeddleError } from "../../base/diagnostics.ts";
import type { Workers } from "./loader.ts";

export interface WorkersOptions {
  /** Default 2. */
  readonly count?: number;
  /** What the module's function is given, as structured clones. */
  readonly data?: unknown;
}

/** What a thread runs: the module's default export makes an example of a number. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const ready = import(workerData.module).then(async (module) => {
  const make = module.default;
  if (typeof make !== "function") throw new TypeError("the module has no default export that is a function");
  return make;
});
ready.catch(() => {});
parentPort.on("message", async ({ id, indices }) => {
  try {
    const make = await ready;
    const items = [];
    for (const index of indices) items.push(await make(index, workerData.data));
    parentPort.postMessage({ id, items });
  } catch (error) {
    parentPort.postMessage({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
`;

interface Answer {
  readonly id: number;
  readonly items?: unknown[];
  readonly error?: string;
}

interface Request {
  readonly worker: Worker;
  readonly resolve: (items: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

class WorkerThreads implements Workers {
  readonly count: number;
  readonly #threads: Worker[];
  readonly #requests = new Map<number, Request>();
  #next = 0;
  #isClosed = false;

  constructor(module: string, count: number, data: unknown) {
    this.count = count;
    this.#threads = Array.from({ length: count }, () => {
      const worker = new Worker(THREAD, { eval: true, workerData: { module, data } });
      worker.on("message", (answer: Answer) => this.#answer(answer));
      worker.on("error", (error) => this.#fail(worker, error as Error));
      worker.on("exit", () => this.#fail(worker, new Error("the thread ended")));
      // A program whose epochs are over may end.
      worker.unref();
      return worker;
    });
  }

  fetch(indices: readonly number[]): Promise<unknown[]> {
    if (this.#isClosed) return Promise.reject(new HeddleError("bad-arguments", "the workers were closed"));
    const id = this.#next++;
    const worker = this.#threads[id % this.count] as Worker;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { worker, resolve, reject });
      worker.ref();
      worker.postMessage({ id, indices });
    });
  }

  #answer({ id, items, error }: Answer): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    if (request !== undefined && ![...this.#requests.values()].some(({ worker }) => worker === request.worker))
      request.worker.unref();
    if (error === undefined) request?.resolve(items ?? []);
    else
      request?.reject(
        new HeddleError("bad-arguments", "a worker could not make an example", {
          notes: error.split("\n").slice(0, 4),
        }),
      );
  }

  #fail(worker: Worker, cause: Error): void {
    for (const [id, request] of this.#requests) {
      if (request.worker !== worker) continue;
      this.#requests.delete(id);
      request.reject(new HeddleError("bad-arguments", `a worker ended: ${cause.message}`, { cause }));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/**
 * Threads for a DataLoader. The default export of `module` makes an example of a number: numbers, typed arrays, and
 * arrays and objects of them.
 *
 *     const threads = workers(new URL("./example.js", import.meta.url), { count: 4 });
 *     for await (const [x, y] of new DataLoader({ length: 1000, get }, { workers: threads, batchSize: 64 })) …
 */
export function workers(module: URL | string, { count = 2, data = null }: WorkersOptions = {}): Workers {
  if (!Number.isInteger(count) || count < 1)
    throw new HeddleError("bad-arguments", `a DataLoader has at least one worker, not ${count}`);
  return new WorkerThreads(String(module), count, data);
}
