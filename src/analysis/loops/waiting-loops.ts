/**
 * Loops in which a thread may wait for what another thread does: their ends depend on memory that others change
 * meanwhile.
 *
 * Used by: the warp tier, which cannot let the lanes of a warp wait for one another; the profiler.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isToolAddress } from "../../machine/observer.ts";
import type { FlowGraph, FlowLoop } from "./flow-graph.ts";

/** The loop's end depends on memory that other threads change meanwhile. */
export function mayWaitForOthers(flow: FlowGraph, loop: FlowLoop): boolean {
  const inside = new Set<IrInstruction>();
  const conditions: IrValue[] = [];
  let hasFence = false;
  for (const b of loop.blocks) {
    for (const i of flow.blocks[b]!.instructions) {
      inside.add(i);
      if (i.op === "fence") hasFence = true;
      const facts = calledIntrinsic(i);
      if (facts !== null && (facts.isFence || facts.operation === "nanosleep")) hasFence = true;
      if (i.op === "condbr") conditions.push(i.condition);
      if (i.op === "switch") conditions.push(i.value);
    }
  }
  const exits = new Set(loop.exits.map((e) => e.from));
  const seen = new Set<IrInstruction>();
  const work: IrValue[] = [];
  for (const e of exits) {
    const last = flow.blocks[e]!.instructions.at(-1)!;
    if (last.op === "condbr") work.push(last.condition);
    if (last.op === "switch") work.push(last.value);
  }
  while (work.length > 0) {
    const v = work.pop()!;
    if (v.kind !== "instruction" || !inside.has(v) || seen.has(v)) continue;
    seen.add(v);
    if (v.op === "phi" && v.block !== flow.blocks[loop.header]) work.push(...conditions); // which way decides the value
    work.push(...operandsOf(v));
  }
  for (const i of seen) {
    if (i.op === "atomicrmw") {
      if (!isToolAddress(i.pointer)) return true;
      continue;
    }
    if (i.op === "load" && (i.volatile || i.ordering !== null || hasFence)) return true;
    if (i.op === "cmpxchg" && !retriesWithFreshValue(i, inside)) return true;
    if (calledIntrinsic(i)?.readsClock) return true;
  }
  return false;
}

/**
 * The lock-free retry: what is expected comes from the last exchange or a load, so in every round at least one lane
 * succeeds.
 */
function retriesWithFreshValue(
  exchange: IrInstruction & { op: "cmpxchg" },
  inside: ReadonlySet<IrInstruction>,
): boolean {
  const seen = new Set<IrValue>();
  const work: IrValue[] = [exchange.expected];
  while (work.length > 0) {
    const v = work.pop()!;
    if (v.kind !== "instruction" || seen.has(v) || !inside.has(v)) continue;
    if (v === exchange || (v.op === "load" && v.pointer === exchange.pointer)) return true;
    seen.add(v);
    work.push(...operandsOf(v));
  }
  return false;
}
