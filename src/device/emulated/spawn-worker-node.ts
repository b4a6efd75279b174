/** Starts pool workers as Node.js worker threads. */
import { Worker } from "node:worker_threads";
import type { PoolWorkerData } from "./pool-worker.ts";
import type { WorkerSpawner } from "./worker-pool-options.ts";

export interface NodeWorkerData extends PoolWorkerData {
  /** URL of a module that exports BLOCK_RUNNERS; default the engine's. */
  readonly runners: string | null;
}

/** @param runners URL of a module that exports BLOCK_RUNNERS instead of the engine's. */
export function nodeWorkerSpawner(runners: string | null = null): WorkerSpawner {
  return (data, onDeath) => {
    const workerData: NodeWorkerData = { ...data, runners };
    const worker = new Worker(runnableUrl("pool-worker-node"), { workerData, name: `heddle device ${data.index}` });
    // An idle worker sleeps in shared memory and shall not keep the process alive.
    worker.unref();
    let terminated = false;
    worker.on("error", (error) => onDeath(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    worker.on("exit", (code) => {
      if (!terminated) onDeath(`exit code ${code}`);
    });
    return {
      terminate: () => {
        terminated = true;
        void worker.terminate();
      },
    };
  };
}

/** Node.js cannot run TypeScript in worker threads everywhere: sources (in tests) start the built file. */
function runnableUrl(name: string): URL {
  const here = import.meta.url;
  return new URL(
    here.endsWith(".ts")
      ? here.replace(/\/src\/(device\/emulated\/)[^/]*$/, `/dist/$1${name}.js`)
      : here.replace(/[^/]*$/, `${name}.js`),
  );
}
