/**
 * Barriers of a block (PTX ISA 9.7.13.1, barrier{.cta}) and of the grid.
 *
 * Threads arrive one by one, from any place in the code; the barrier's number alone says which barrier it is. The form
 * for all threads is complete when every thread that has not exited has arrived. The form with a count is complete when
 * that many threads have arrived, where lanes of an arriving warp that do not exist or have exited count as arrived
 * (PTX counts whole warps). A reduction gives every waiting thread the same result over the predicates of those that
 * arrived.
 */
import { Fault } from "./memory.ts";
import { openProducts } from "./product-groups.ts";
import type { Block, Cluster, Thread } from "./thread.ts";
import type { Barrier } from "./thread.ts";

export type BarrierKind = "sync" | "arrive" | "popc" | "and" | "or";

const BARRIERS = 16;

/** The thread comes to barrier `id`; it waits unless it only arrives. `slot` takes a reduction's result. */
export function arriveAtBarrier(
  thread: Thread,
  id: number,
  count: number | null,
  kind: BarrierKind,
  predicate: boolean,
  slot: number,
): void {
  const { block } = thread;
  if (id >= BARRIERS)
    throw new Fault("illegal-instruction", `barrier ${id}: a block has barriers 0 to ${BARRIERS - 1}`);
  if (count !== null && (count === 0 || count % 32 !== 0))
    throw new Fault("illegal-instruction", `barrier ${id} for ${count} threads: the number must be a multiple of 32`);
  let barrier = block.barriers.get(id);
  if (barrier === undefined) block.barriers.set(id, (barrier = { waiting: [], arrivals: new Map(), count }));
  if (barrier.arrivals.size === 0) barrier.count = count;
  barrier.arrivals.set(thread.warp, (barrier.arrivals.get(thread.warp) ?? 0) + 1);
  if (kind === "arrive") return;
  thread.state = "waiting";
  thread.barrier = { kind, predicate, slot };
  barrier.waiting.push(thread);
}

/** The barrier of a cluster (PTX ISA 9.7.13.4): a thread arrives, and waits for the phase in which it arrived. */
export function arriveAtCluster(thread: Thread): void {
  thread.atCluster = true;
}

/** A thread that has not arrived in the present phase arrived in the one before, which is over. */
export function waitForCluster(thread: Thread): void {
  if (!thread.atCluster) return;
  thread.state = "waiting";
  thread.barrier = "cluster";
}

/** Ends the phase if every thread of the cluster that has not exited has arrived. Returns whether it did. */
export function openClusterBarrier({ blocks }: Cluster): boolean {
  let arrived = false;
  for (const block of blocks)
    for (const thread of block.threads) {
      if (thread.state === "done") continue;
      if (!thread.atCluster) return false;
      arrived = true;
    }
  if (!arrived) return false;
  for (const block of blocks)
    for (const thread of block.threads) {
      thread.atCluster = false;
      if (thread.barrier !== "cluster") continue;
      thread.barrier = null;
      thread.state = "ready";
    }
  return true;
}

/** Lets go on who waits within the block for what is complete: barriers and products. Returns whether anyone does. */
export function openWithinBlock(block: Block): boolean {
  const barriers = openBarriers(block);
  return openProducts(block) || barriers;
}

/** Opens every barrier of the block that is complete. Returns whether any was. */
function openBarriers(block: Block): boolean {
  let opened = false;
  for (const barrier of block.barriers.values()) {
    if (barrier.arrivals.size === 0 || !isComplete(barrier, block)) continue;
    release(barrier);
    opened = true;
  }
  return opened;
}

function isComplete(barrier: Barrier, block: Block): boolean {
  let arrived = 0;
  for (const [warp, count] of barrier.arrivals) {
    // Lanes that exited after they came count once.
    arrived +=
      barrier.count === null
        ? count
        : Math.min(32, count + 32 - warp.threads.filter((thread) => thread.state !== "done").length);
  }
  return arrived >= (barrier.count ?? block.live);
}

function release(barrier: Barrier): void {
  const predicates = barrier.waiting.map((thread) => (thread.barrier as { predicate: boolean }).predicate);
  const trueCount = predicates.filter(Boolean).length;
  for (const thread of barrier.waiting) {
    const { kind, slot } = thread.barrier as { kind: string; slot: number };
    if (slot >= 0) thread.frame.values[slot] = reduced(kind, trueCount, predicates.length);
    thread.barrier = null;
    thread.state = "ready";
  }
  barrier.waiting.length = 0;
  barrier.arrivals.clear();
}

/** The result of a barrier reduction: `trueCount` of `count` predicates hold. */
function reduced(kind: string, trueCount: number, count: number): number {
  if (kind === "popc") return trueCount;
  return Number(kind === "and" ? trueCount === count : trueCount > 0);
}
