/**
 * Which values of a function are needed at the start of each block.
 *
 * Lattice: sets of instructions, joined by union; backward data flow to a fixpoint. A phi uses its operands at the end
 * of the predecessor. Used by: barrier-spills.ts of the warp tier.
 */
import type { IrBlock, IrInstruction } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import type { FlowGraph } from "../loops/flow-graph.ts";

/** For each block number, the instructions whose values are live at its start; its own phis are not among them. */
export function liveAtStart(flow: FlowGraph): readonly ReadonlySet<IrInstruction>[] {
  const live: Set<IrInstruction>[] = flow.blocks.map(() => new Set());
  const phiUses = (from: IrBlock, to: IrBlock): IrInstruction[] => {
    const uses: IrInstruction[] = [];
    for (const i of to.instructions) {
      if (i.op !== "phi") break;
      for (const { value, block } of i.incoming) if (block === from && value.kind === "instruction") uses.push(value);
    }
    return uses;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (let b = flow.blocks.length - 1; b >= 0; b--) {
      const block = flow.blocks[b]!;
      const now = new Set<IrInstruction>();
      for (const s of flow.successors[b]!) {
        for (const v of live[s]!) now.add(v);
        for (const i of flow.blocks[s]!.instructions) if (i.op === "phi") now.delete(i);
        for (const v of phiUses(block, flow.blocks[s]!)) now.add(v);
      }
      for (let n = block.instructions.length - 1; n >= 0; n--) {
        const i = block.instructions[n]!;
        now.delete(i);
        if (i.op === "phi") continue;
        for (const o of operandsOf(i)) if (o.kind === "instruction") now.add(o);
      }
      if (now.size !== live[b]!.size) {
        live[b] = now;
        changed = true;
      }
    }
  }
  return live;
}
