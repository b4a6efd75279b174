/** A resident block: its tasks, its live lanes, and the lanes that wait at each barrier and collective. */
import type { Dim3 } from "../../base/dim3.ts";
import { BlockClocks } from "../../machine/barrier-skew.ts";
import type { ResidentCluster } from "./resident-cluster.ts";
import type { Task, Wait } from "./task.ts";

/** A group of lanes that waits, and the task that runs them. */
export interface Waiting {
  readonly task: Task;
  readonly wait: Wait;
}

export interface Barrier {
  readonly waiting: Waiting[];
  /** Lanes that arrived, by warp; arrivals without waiting included. */
  readonly arrivedByWarp: Map<number, number>;
  /** -1: all threads of the block. */
  threads: number;
}

export interface Warp {
  readonly index: number;
  live: number;
  /** Lanes that have arrived at the cluster's barrier in its present phase. */
  atCluster: number;
  tasks: Task[];
  collectives: Waiting[];
}

export class ResidentBlock {
  readonly slot: number;
  readonly linear: number;
  readonly ctaid: Dim3;
  readonly warps: Warp[] = [];
  readonly barriers: Map<number, Barrier> = new Map();
  readonly gridSync: Waiting[] = [];
  readonly cluster: ResidentCluster;
  /** For products of a warpgroup. */
  productWaits: readonly Waiting[] = [];
  /** At the barrier of the cluster. */
  readonly clusterWaits: Waiting[] = [];
  /** For a tool that counts. */
  readonly clocks: BlockClocks = new BlockClocks();
  liveThreads = 0;

  constructor(slot: number, linear: number, ctaid: Dim3, cluster: ResidentCluster, tasks: readonly Task[]) {
    this.cluster = cluster;
    cluster.blocks.push(this);
    this.slot = slot;
    this.linear = linear;
    this.ctaid = ctaid;
    for (const task of tasks) {
      let warp = this.warps[task.warp];
      if (warp === undefined)
        this.warps[task.warp] = warp = { index: task.warp, live: 0, atCluster: 0, tasks: [], collectives: [] };
      warp.tasks.push(task);
      warp.live |= task.lanes;
      this.liveThreads += bitCount(task.lanes);
    }
  }

  exit(task: Task, lanes: number): void {
    const warp = this.warps[task.warp] as Warp;
    this.liveThreads -= bitCount(warp.live & lanes);
    warp.live &= ~lanes;
  }
}

export function bitCount(mask: number): number {
  let x = mask - ((mask >>> 1) & 0x5555_5555);
  x = (x & 0x3333_3333) + ((x >>> 2) & 0x3333_3333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
