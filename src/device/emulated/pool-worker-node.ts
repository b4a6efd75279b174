/** The script of a pool worker in Node.js. */
import { workerData } from "node:worker_threads";
import type { BlockRunners } from "./block-worker.ts";
import { reportDeath, runPoolWorker } from "./pool-worker.ts";
import type { NodeWorkerData } from "./spawn-worker-node.ts";

const data = workerData as NodeWorkerData;
// The coordinator may be blocked and deaf to events: a word of shared memory tells it.
process.on("exit", () => reportDeath(data.memory, data.index));
const { BLOCK_RUNNERS } =
  data.runners === null
    ? await import("../../engine/block-runners.ts")
    : ((await import(data.runners)) as { BLOCK_RUNNERS: BlockRunners });
runPoolWorker(data, BLOCK_RUNNERS);
