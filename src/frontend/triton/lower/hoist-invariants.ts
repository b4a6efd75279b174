/**
 * Loop-invariant code motion: operations without effects, whose operands no iteration changes, stand before their loop.
 * Addresses are most of them: a tile's places in its rows do not change while the tile moves.
 */
import type { BlockOp, BlockValue, Region } from "../blocks/model.ts";
import { operandsOf, regionsOf } from "../blocks/operands.ts";

const MOVABLE: ReadonlySet<BlockOp["op"]> = new Set([
  "constant",
  "range",
  "splat",
  "expand",
  "broadcast",
  "reshape",
  "transpose",
  "binary",
  "icmp",
  "fcmp",
  "cast",
  "select",
  "call",
  "address",
  "program-id",
  "program-count",
]);
const TRAPS: ReadonlySet<string> = new Set(["sdiv", "udiv", "srem", "urem"]);

/** Changes the region. */
export function hoistInvariants(region: Region): void {
  region.ops.splice(
    0,
    region.ops.length,
    ...region.ops.flatMap((op): BlockOp[] => {
      for (const inner of regionsOf(op)) hoistInvariants(inner);
      if (op.op !== "for") return [op];
      const inside = new Set<BlockValue>(op.body.params);
      const moved: BlockOp[] = [];
      const stays: BlockOp[] = [];
      for (const each of op.body.ops) {
        const isFixed = isMovable(each) && operandsOf(each).every((value) => !inside.has(value));
        (isFixed ? moved : stays).push(each);
        if (!isFixed) for (const result of each.results) inside.add(result);
      }
      op.body.ops.splice(0, op.body.ops.length, ...stays);
      return [...moved, op];
    }),
  );
}

/** A division is not done where it might not have been. */
function isMovable(op: BlockOp): boolean {
  return MOVABLE.has(op.op) && !(op.op === "binary" && TRAPS.has(op.operator));
}
