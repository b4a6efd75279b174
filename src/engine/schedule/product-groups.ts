/** Waits for products of a warpgroup (PTX ISA 8.5, 9.7.15.7): the meaning is interpreter/product-groups.ts's. */
import { firstWarpOf, WARPGROUP_WARPS } from "../../machine/warpgroups.ts";
import type { ResidentBlock, Waiting } from "./resident-block.ts";

/** Takes the waits of a warp's warpgroup whose products all of its live threads have made. */
export function takeProducts(block: ResidentBlock, warp: number): readonly Waiting[] {
  if (block.productWaits.length === 0) return block.productWaits;
  const first = firstWarpOf(warp);
  const fewest = Math.min(
    ...block.warps
      .slice(first, first + WARPGROUP_WARPS)
      .flatMap(({ tasks, live }) => tasks.map((task) => task.fewestProducts(task.lanes & live))),
  );
  const isDone = ({ task, wait }: Waiting): boolean => firstWarpOf(task.warp) === first && wait.threads <= fewest;
  const done = block.productWaits.filter(isDone);
  if (done.length > 0) block.productWaits = block.productWaits.filter((waiting) => !isDone(waiting));
  return done;
}
