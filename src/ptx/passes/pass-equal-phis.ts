/**
 * Merges phis that always have the same value, such as a loop's counter in a register and the same counter in an array
 * that became registers. The pass assumes that all phis of a block are equal, and splits the groups whose incoming
 * values differ until nothing changes (the optimistic partition of Alpern, Wegman and Zadeck, "Detecting Equality of
 * Variables in Programs", 1988, for phis).
 *
 * Needs: a valid function whose other values are numbered. Afterwards: no two phis are equal by their operands.
 */
import type { IrFunction, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { formatType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import { ValueKeys } from "../value-keys.ts";

export function mergeEqualPhis(fn: IrFunction): void {
  const phis = fn.blocks.flatMap((block) => block.instructions.filter((i): i is PhiInstruction => i.op === "phi"));
  const values = new ValueKeys();
  // The class of a phi; by block and type at first.
  let classes = new Map<IrValue, string>(
    phis.map((phi) => [phi, `${values.number(phi.block)} ${formatType(phi.type)}`]),
  );
  const keyOf = (value: IrValue): string => {
    const ofPhi = classes.get(value);
    return ofPhi === undefined ? values.of(value) : `p${ofPhi}`;
  };
  for (let count = 0; ;) {
    const keys = new Map<string, number>();
    const next = new Map<IrValue, string>();
    for (const phi of phis) {
      const ways = phi.incoming
        .map(({ value, block }) => `${values.number(block)}=${keyOf(value)}`)
        .toSorted()
        .join(",");
      const key = `${classes.get(phi) as string}|${ways}`;
      let id = keys.get(key);
      if (id === undefined) keys.set(key, (id = keys.size));
      next.set(phi, `#${id}`);
    }
    classes = next;
    if (keys.size === count) break;
    count = keys.size;
  }
  const first = new Map<string, PhiInstruction>();
  const replacements = new Map<IrValue, IrValue>();
  for (const phi of phis) {
    const id = classes.get(phi) as string;
    const other = first.get(id);
    if (other === undefined) first.set(id, phi);
    else replacements.set(phi, other);
  }
  if (replacements.size === 0) return;
  replaceUses(fn, replacements);
  for (const block of fn.blocks) block.instructions = block.instructions.filter((i) => !replacements.has(i));
}
