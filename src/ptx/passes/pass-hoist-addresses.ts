/**
 * Computes an address once where several branches need it: `if (a) x += p[i]; if (b) y += p[i + 1];` has one `p + i`.
 * An address costs a multiplication and an addition, and two registers wherever it is computed again.
 *
 * Needs: a valid function whose addresses are split and numbered. Afterwards: equal geps with computed indices are one,
 * in the closest block that dominates them all, if their operands are known there and that block is in no loop that the
 * geps are outside of.
 */
import { dominatorTree } from "../../ir/graph/dominators.ts";
import type { GepInstruction, IrBlock, IrFunction, IrValue } from "../../ir/model/ir.ts";
import { findLoops } from "../../ir/graph/loops.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { formatType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import { ValueKeys } from "../value-keys.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";

/** Addresses of addresses: each round makes the operands of the next one equal. */
const MAX_ROUNDS = 4;

export function hoistAddresses(fn: IrFunction): void {
  for (let round = 0; round < MAX_ROUNDS; round++) if (!hoistOnce(fn)) return;
}

function hoistOnce(fn: IrFunction): boolean {
  const tree = dominatorTree(fn);
  const { loopOf } = findLoops(fn, tree);
  const keys = new ValueKeys();
  const groups = new Map<string, GepInstruction[]>();
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (i.op !== "gep" || i.type.kind !== "ptr" || hasConstantIndices(i)) continue;
      const key = `${formatType(i.type)} ${formatType(i.sourceType)} ${operandsOf(i)
        .map((value) => keys.of(value))
        .join(",")}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [i]);
      else group.push(i);
    }
  }
  const isKnownAt = (value: IrValue, block: IrBlock): boolean =>
    value.kind !== "instruction" || tree.dominates(value.block, block);
  const replacements = new Map<IrValue, IrValue>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const place = group.reduce(
      (at: IrBlock | null, { block }) => (at === null ? null : tree.common(at, block)),
      (group[0] as GepInstruction).block,
    );
    const loop = place === null ? null : loopOf(place);
    if (place === null || group.some((gep) => replacements.has(gep) || (loop !== null && !loop.blocks.has(gep.block))))
      continue;
    const one = group.find(({ block }) => block === place) ?? (group[0] as GepInstruction);
    if (!operandsOf(one).every((value) => isKnownAt(value, place))) continue;
    if (one.block !== place) {
      remove(one);
      one.block = place;
      place.instructions.splice(place.instructions.length - 1, 0, one);
    }
    for (const other of group) {
      if (other === one) continue;
      one.inbounds &&= other.inbounds;
      remove(other);
      replacements.set(other, one);
    }
  }
  replaceUses(fn, replacements);
  return replacements.size > 0;
}

function remove(gep: GepInstruction): void {
  gep.block.instructions.splice(gep.block.instructions.indexOf(gep), 1);
}
