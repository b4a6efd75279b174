/**
 * Groups of products of a warpgroup (PTX ISA 8.5, 9.7.15.7, wgmma.commit_group and wgmma.wait_group).
 *
 * A product is one operation of four warps: before all of them have come to it nobody may take it for done. Here each
 * thread makes its own part at the instruction. So a thread that waits for a group waits until all threads of its
 * warpgroup have committed theirs; from then on nobody reads the group's operands.
 */
import { firstWarpOf, WARPGROUP_WARPS } from "../../machine/warpgroups.ts";
import type { Block, Thread } from "./thread.ts";

export function commitProducts(thread: Thread): void {
  thread.productGroups++;
}

/** @param left so many of the last groups may be missing. */
export function waitForProducts(thread: Thread, left: number): void {
  thread.awaitedGroups = thread.productGroups - left;
  if (thread.awaitedGroups <= 0) return;
  thread.state = "waiting";
  thread.barrier = "products";
}

/** Lets all threads go on whose products are made. Returns whether there were any. */
export function openProducts(block: Block): boolean {
  let opened = false;
  for (const thread of block.threads) {
    if (thread.barrier !== "products" || !areMade(thread)) continue;
    thread.barrier = null;
    thread.state = "ready";
    opened = true;
  }
  return opened;
}

function areMade({ warp, block, awaitedGroups }: Thread): boolean {
  const first = firstWarpOf(warp.index);
  return block.warps
    .slice(first, first + WARPGROUP_WARPS)
    .every(({ threads }) => threads.every((t) => t.state === "done" || t.productGroups >= awaitedGroups));
}
