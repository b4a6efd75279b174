/**
 * Tiles that a product takes from memory, for the emulated device: each element is loaded where it is stored to shared
 * memory, so that nothing of the tile must be kept meanwhile. Of what stands between the load and the product, nothing
 * writes memory.
 */
import type { BlockKernel, BlockOp, BlockValue, Region } from "../blocks/model.ts";
import { allOps, operandsOf, regionsOf } from "../blocks/operands.ts";
import type { LayoutTable } from "./assign-layouts.ts";
import { waitsOrWrites } from "./fused-stores.ts";

/** Loads without masks that only products take, as they are or transposed; and their transposes. */
export function findDeferredLoads(kernel: BlockKernel, layouts: LayoutTable): ReadonlySet<BlockOp> {
  const users = new Map<BlockValue, BlockOp[]>();
  const yielded = new Set<BlockValue>();
  for (const op of allOps(kernel.body)) {
    for (const value of operandsOf(op)) users.set(value, [...(users.get(value) ?? []), op]);
    for (const { yields } of regionsOf(op)) for (const value of yields) yielded.add(value);
  }
  const found = new Set<BlockOp>();
  /** The only product that takes the value; null: others do, or none. */
  const productOf = (value: BlockValue): BlockOp | null => {
    const [user, ...others] = users.get(value) ?? [];
    if (user === undefined || others.length > 0 || yielded.has(value)) return null;
    if (user.op === "transpose") return productOf(user.results[0] as BlockValue);
    return user.op === "dot" && user.operands[2] !== value && layouts.tensor(user) === null ? user : null;
  };
  const inRegion = ({ ops }: Region): void => {
    for (const [i, op] of ops.entries()) {
      regionsOf(op).forEach(inRegion);
      if (op.op !== "load" || op.isVolatile || op.mask !== null || op.results[0]?.type.shape.length !== 2) continue;
      const product = productOf(op.results[0]);
      const end = product === null ? -1 : ops.indexOf(product);
      if (end <= i || ops.slice(i, end).some(waitsOrWrites)) continue;
      for (let each: BlockOp = op; each !== product; each = users.get(each.results[0] as BlockValue)?.[0] as BlockOp)
        found.add(each);
    }
  };
  inRegion(kernel.body);
  return found;
}
