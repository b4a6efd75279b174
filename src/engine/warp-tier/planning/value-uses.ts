/** Who uses a value: decides whether it needs locals, and for how long. */
import type { IrInstruction } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import { barrierOf } from "./suspensions.ts";
import type { FlowGraph } from "../../../analysis/loops/flow-graph.ts";

export interface Uses {
  readonly isUsed: { has(value: IrInstruction): boolean };
  /** For values that are used exactly once: the user. */
  readonly onlyUser: ReadonlyMap<IrInstruction, IrInstruction>;
  /** Values that other blocks, phis, or the other side of a barrier use. */
  readonly crossesBlocks: ReadonlySet<IrInstruction>;
}

export function findUses(flow: FlowGraph): Uses {
  const count = new Map<IrInstruction, number>();
  const onlyUser = new Map<IrInstruction, IrInstruction>();
  const crossesBlocks = new Set<IrInstruction>();
  for (const block of flow.blocks) {
    for (const i of block.instructions) {
      for (const o of operandsOf(i)) {
        if (o.kind !== "instruction") continue;
        count.set(o, (count.get(o) ?? 0) + 1);
        onlyUser.set(o, i);
        if (o.block !== i.block || i.op === "phi") crossesBlocks.add(o);
      }
      if (i.op === "phi" || (i.op === "call" && barrierOf(i))) crossesBlocks.add(i);
    }
  }
  for (const [i, n] of count) if (n !== 1) onlyUser.delete(i);
  return { isUsed: count, onlyUser, crossesBlocks };
}
