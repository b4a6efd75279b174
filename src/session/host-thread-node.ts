/** The script of a host program's thread in Node.js. */
import { workerData } from "node:worker_threads";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import { runHostThread, type HostThreadData } from "../runtime/host/host-thread.ts";

enableWasmFeatures();
runHostThread(workerData as HostThreadData);
