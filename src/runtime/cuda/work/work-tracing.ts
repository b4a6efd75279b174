/** What records when work on the devices runs (work-tracer.ts), as those who do the work see it. */
import type { DeviceState } from "../device-state.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import type { StreamState } from "./stream-model.ts";

export interface WorkTracing {
  /** A launch of this graph begins; 0: it has ended. */
  enterGraph(exec: number): void;
  /** Work that comes next is this node's; 0: that of none. */
  enterNode(node: number): void;
  /** Does work, and records when. */
  around(work: GraphWork, stream: StreamState, run: () => void): void;
  /** The device is about to be reset. */
  reset(state: DeviceState): void;
}
