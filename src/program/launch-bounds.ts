/**
 * Limits that a kernel's source sets for its launches: `__launch_bounds__(threads, blocks)`, `__cluster_dims__(x, y,
 * z)`.
 */
import type { IrFunction } from "../ir/model/ir.ts";

/**
 * Clang writes function attributes: "nvvm.maxntid"="256" or "16,16,1", "nvvm.minctasm"="2", "nvvm.cluster_dim"="2,1,1".
 */
export function launchBounds(
  fn: IrFunction,
  which: "maxntid" | "minctasm" | "maxnreg" | "cluster_dim",
): readonly number[] | null {
  for (const attribute of fn.attributes) {
    const match = new RegExp(`^"?nvvm\\.${which}"?="?([\\d,\\s]+)"?$`).exec(attribute);
    if (match !== null) return (match[1] as string).split(",").map(Number);
  }
  return null;
}

/** All of them multiplied: the threads of a block, the blocks of a cluster, that is given by its three extents. */
export function launchBound(fn: IrFunction, which: "maxntid" | "minctasm" | "maxnreg" | "cluster_dim"): number | null {
  return launchBounds(fn, which)?.reduce((product, n) => product * n, 1) ?? null;
}
