/** A resident thread block cluster, and its barrier (PTX ISA 8.5, 9.7.12.4 "barrier.cluster"). */
import type { ResidentBlock, Waiting, Warp } from "./resident-block.ts";

/** The blocks of a thread block cluster, which begin together. Without clusters each block is one. */
export class ResidentCluster {
  readonly blocks: ResidentBlock[] = [];

  /**
   * The lanes that wait at the cluster's barrier, once every live thread has arrived; the next phase begins. Null if
   * some are missing.
   */
  takeComplete(): readonly (readonly [ResidentBlock, Waiting])[] | null {
    let arrived = 0;
    for (const block of this.blocks)
      for (const warp of block.warps) {
        if ((warp.live & ~warp.atCluster) !== 0) return null;
        arrived |= warp.atCluster;
      }
    if (arrived === 0) return null;
    for (const block of this.blocks) for (const warp of block.warps) warp.atCluster = 0;
    return this.blocks.flatMap((block) =>
      block.clusterWaits.splice(0).map((waiting): readonly [ResidentBlock, Waiting] => [block, waiting]),
    );
  }
}

/**
 * Lanes come to the cluster's barrier. Whether they go on: those that arrive do. Those that wait and have not arrived
 * in this phase arrived in the one before, which is over.
 */
export function arriveAtCluster(action: "arrive" | "wait", waiting: Waiting, block: ResidentBlock): boolean {
  const { task, wait } = waiting;
  const warp = block.warps[task.warp] as Warp;
  if (action === "arrive") warp.atCluster |= wait.lanes;
  else if ((warp.atCluster & wait.lanes) !== 0) {
    block.clusterWaits.push(waiting);
    return false;
  }
  return true;
}
