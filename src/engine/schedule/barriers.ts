/** Barriers of a block: arrivals, completion, and the results of barrier reductions. */
import type { CollectiveBuffers } from "./collectives.ts";
import { bitCount, type Barrier, type ResidentBlock, type Waiting, type Warp } from "./resident-block.ts";
import type { BarrierReduction, Wait } from "./task.ts";

/** Counts the lanes of a wait as arrived. Lanes that only arrive ("arrive") do not wait. */
export function arriveAtBarrier(block: ResidentBlock, waiting: Waiting): Barrier {
  const { wait, task } = waiting;
  let barrier = block.barriers.get(wait.barrier);
  if (barrier === undefined)
    block.barriers.set(wait.barrier, (barrier = { waiting: [], arrivedByWarp: new Map(), threads: wait.threads }));
  if (barrier.arrivedByWarp.size === 0) barrier.threads = wait.threads;
  barrier.arrivedByWarp.set(task.warp, (barrier.arrivedByWarp.get(task.warp) ?? 0) + bitCount(wait.lanes));
  if (reductionOf(wait) !== "arrive") barrier.waiting.push(waiting);
  return barrier;
}

/** Takes the waiting lanes of a complete barrier, which is then free for its next use. Null if lanes are missing. */
export function takeComplete(block: ResidentBlock, barrier: Barrier): readonly Waiting[] | null {
  if (barrier.arrivedByWarp.size === 0) return null;
  const hasCount = barrier.threads >= 0;
  let arrived = 0;
  for (const [warp, count] of barrier.arrivedByWarp) {
    // A barrier with a count counts whole warps: lanes that do not exist or have ended count as arrived, and lanes that
    // ended after they arrived count once.
    arrived += hasCount ? Math.min(32, count + 32 - bitCount((block.warps[warp] as Warp).live)) : count;
  }
  if (arrived < (hasCount ? barrier.threads : block.liveThreads)) return null;
  barrier.arrivedByWarp.clear();
  return barrier.waiting.splice(0);
}

/** The lanes that wait for the grid, once every live thread of these blocks does; null if some are missing. */
export function takeGridSync(blocks: readonly ResidentBlock[]): readonly (readonly [ResidentBlock, Waiting])[] | null {
  let waiting = 0;
  let live = 0;
  for (const block of blocks) {
    live += block.liveThreads;
    for (const { wait } of block.gridSync) waiting += bitCount(wait.lanes);
  }
  if (waiting === 0 || waiting < live) return null;
  return blocks.flatMap((block) =>
    block.gridSync.splice(0).map((own): readonly [ResidentBlock, Waiting] => [block, own]),
  );
}

/** barrier.red: all waiting lanes get the same result, over the predicates of all of them. */
export function setReductionResults(released: readonly Waiting[], buffers: CollectiveBuffers): void {
  let set = 0;
  let total = 0;
  let reduces = false;
  const { value, result, resultHigh } = buffers;
  for (const { task, wait } of released) {
    total += bitCount(wait.lanes);
    if (reductionOf(wait) === "none") continue;
    reduces = true;
    task.operands(wait.lanes, 0, value);
    for (let rest = wait.lanes; rest !== 0; rest &= rest - 1) if (value[31 - Math.clz32(rest & -rest)] !== 0) set++;
  }
  if (!reduces) return;
  for (const { task, wait } of released) {
    const reduction = reductionOf(wait);
    if (reduction === "none") continue;
    result.fill(resultOf(reduction, set, total));
    task.setResults(wait.lanes, result, resultHigh);
  }
}

function reductionOf(wait: Wait): BarrierReduction {
  return wait.operation.kind === "barrier" ? wait.operation.reduction : "none";
}

/** `set` of `total` predicates hold. */
function resultOf(reduction: BarrierReduction, set: number, total: number): number {
  if (reduction === "popc") return set;
  return Number(reduction === "and" ? set === total : set > 0);
}
