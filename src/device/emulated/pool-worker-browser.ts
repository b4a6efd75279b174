/** The script of a pool worker in a browser. */
import { BLOCK_RUNNERS } from "../../engine/block-runners.ts";
import { reportDeath, runPoolWorker, type PoolWorkerData } from "./pool-worker.ts";

addEventListener(
  "message",
  (event: MessageEvent<PoolWorkerData>) => {
    try {
      runPoolWorker(event.data, BLOCK_RUNNERS);
    } catch (error) {
      reportDeath(event.data.memory, event.data.index);
      throw error;
    }
  },
  { once: true },
);
