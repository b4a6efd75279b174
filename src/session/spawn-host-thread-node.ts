/** Starts threads of host programs as Node.js worker threads. */
import { Worker } from "node:worker_threads";
import type { HostThreadData } from "../runtime/host/host-threads.ts";

const STACK_MB = 16;

export function spawnHostThread(workerData: HostThreadData): { terminate(): void } {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./host-thread-node.${extension}`, import.meta.url), {
    workerData,
    name: `heddle host thread ${workerData.thread}`,
    resourceLimits: { stackSizeMb: STACK_MB },
  });
  worker.unref();
  return { terminate: () => void worker.terminate() };
}
