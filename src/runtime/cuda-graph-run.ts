/** Does the work of one graph node or stream submission, now. */
import { unreachable } from "../base/diagnostics.ts";
import { runCopy, runFill } from "./cuda-copy.ts";
import type { CudaContext } from "./cuda-context.ts";
import { enterGraphMemory } from "./cuda-graph-memory.ts";
import type { GraphWork } from "./cuda-graph-model.ts";
import { inOrder } from "./cuda-graph-store.ts";
import { runCall } from "./cuda-launch.ts";
import { freeDeviceMemory } from "./cuda-allocation.ts";

export function runWork(cuda: CudaContext, work: GraphWork): void {
  switch (work.kind) {
    case "kernel":
      return runCall(cuda, work.call);
    case "memcpy":
      return runCopy(cuda, work.copy);
    case "memset":
      return runFill(cuda, work.fill);
    case "host":
      cuda.options.streams.flush();
      cuda.host.call(work.functionPointer, work.userData);
      return undefined;
    case "graph":
      for (const node of inOrder(work.graph)) runWork(cuda, node.work);
      return undefined;
    case "event-record": {
      const event = cuda.events.get(work.event);
      if (event !== undefined) event.recordedMs = performance.now();
      return undefined;
    }
    case "free":
      return freeDeviceMemory(cuda, work.pointer);
    case "alloc":
      return enterGraphMemory(cuda, work.pointer);
    case "empty":
    case "event-wait":
      return undefined;
    default:
      return unreachable(work, "graph work");
  }
}
