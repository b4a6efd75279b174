/** Lanes that wait without a mask (activemask, shuffles of old, counts): which of a warp's groups goes on first. */
import { isCount } from "./collectives.ts";
import type { CollectiveOperation } from "./task.ts";
import type { Waiting } from "./resident-block.ts";

/** Counts go first, of these the one of the lowest order. @returns null if no lane waits so */
export function firstConverged(collectives: readonly Waiting[]): Waiting | null {
  let first: Waiting | null = null;
  let lowest = Infinity;
  for (const waiting of collectives) {
    const { operation, mask } = waiting.wait;
    if (operation.kind !== "collective" || !operation.converged) continue;
    const order = isCount(operation.operation) ? mask : Infinity;
    if (first !== null && order >= lowest) continue;
    first = waiting;
    lowest = order;
  }
  return first;
}

/** Whether these lanes wait for this collective of these lanes. */
export function isSame(wait: Waiting["wait"], mask: number, operation: CollectiveOperation): boolean {
  return (
    wait.operation.kind === "collective" &&
    !wait.operation.converged &&
    wait.operation.operation === operation &&
    wait.mask === mask
  );
}
