/**
 * Halves of words that only what comes behind a loop reads are taken there. They are halves of sums that go around the
 * loop, above all: ptxas makes a product wait that `wgmma` has begun, if an instruction reads its sums before
 * `wgmma.wait_group` (C7518), and in the loop nobody needs them.
 *
 * Needs: a valid function. Afterwards: shifts, masks and truncations of one value are in no loop that does not use
 * them.
 */
import { dominatorTree } from "../../ir/graph/dominators.ts";
import { findLoops } from "../../ir/graph/loops.ts";
import type { IrBlock, IrFunction, IrInstruction } from "../../ir/model/ir.ts";
import { usesOf } from "../../ir/model/uses.ts";

export function sinkHalves(fn: IrFunction): void {
  const tree = dominatorTree(fn);
  const { loopOf } = findLoops(fn, tree);
  const uses = usesOf(fn);
  // From the end: what a half is made of follows it.
  for (const block of fn.blocks.toReversed()) {
    const loop = loopOf(block);
    if (loop === null) continue;
    for (const i of block.instructions.toReversed()) {
      const users = isHalf(i) ? uses.get(i) : undefined;
      if (users === undefined) continue;
      const place = users
        .flatMap((user) => placesOf(i, user))
        .reduce<IrBlock | null>(
          (at, one) => (at === null ? null : tree.common(at, one)),
          placesOf(i, users[0])[0] ?? null,
        );
      if (place === null || loop.blocks.has(place)) continue;
      const around = loopOf(place);
      if (around !== null && !around.blocks.has(block)) continue;
      block.instructions.splice(block.instructions.indexOf(i), 1);
      i.block = place;
      const at = place.instructions.findIndex(({ op }) => op !== "phi");
      place.instructions.splice(at, 0, i);
    }
  }
}

/** A shift or a mask by a constant, or a truncation, of a value that is computed. */
function isHalf(i: IrInstruction): boolean {
  if (i.op === "cast") return i.operator === "trunc" && i.type.kind === "int" && i.operand.kind === "instruction";
  return (
    i.op === "binary" &&
    (i.operator === "lshr" || i.operator === "and") &&
    i.rhs.kind === "const-int" &&
    i.lhs.kind === "instruction"
  );
}

/** Where the user needs the value: a phi needs it at the end of the blocks that it comes from. */
function placesOf(value: IrInstruction, user: IrInstruction | undefined): IrBlock[] {
  if (user === undefined) return [];
  if (user.op !== "phi") return [user.block];
  return user.incoming.flatMap((edge) => (edge.value === value ? [edge.block] : []));
}
