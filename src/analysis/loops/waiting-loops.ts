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
import { movesOn } from "./moving-reads.ts";
import { drawsTickets } from "./ticket-draws.ts";

/**
 * The loop's end depends on memory that other threads change meanwhile. `isAnswered`: what is read there does not
 * count.
 */
export function mayWaitForOthers(
  flow: FlowGraph,
  loop: FlowLoop,
  isAnswered: (i: IrInstruction) => boolean = () => false,
): boolean {
  const inside = new Set<IrInstruction>();
  let hasFence = false;
  for (const b of loop.blocks) {
    for (const i of flow.blocks[b]!.instructions) {
      inside.add(i);
      if (i.op === "fence") hasFence = true;
      const facts = calledIntrinsic(i);
      if (facts !== null && (facts.isFence || facts.operation === "nanosleep")) hasFence = true;
    }
  }
  const seen = new Set<IrInstruction>();
  const work: IrValue[] = [];
  for (const e of new Set(loop.exits.map(({ from }) => from)))
    for (const b of [e, ...blocksThatLeadTo(flow, loop, e)]) work.push(...conditionOf(flow, b));
  while (work.length > 0) {
    const v = work.pop()!;
    if (v.kind !== "instruction" || !inside.has(v) || seen.has(v)) continue;
    seen.add(v);
    if (v.op === "phi" && v.block !== flow.blocks[loop.header])
      for (const b of decidingBlocks(flow, flow.indexOf.get(v.block)!)) work.push(...conditionOf(flow, b));
    work.push(...operandsOf(v));
  }
  for (const i of seen) {
    if (isAnswered(i)) continue;
    if (i.op === "atomicrmw") {
      if (!isToolAddress(i.pointer) && !drawsTickets(flow, loop, i)) return true;
      continue;
    }
    if (i.op === "load" && (i.volatile || i.ordering !== null)) return true;
    if (i.op === "load" && hasFence && !movesOn(flow, loop, i)) return true;
    if (i.op === "cmpxchg" && !retriesWithFreshValue(i, inside)) return true;
    if (calledIntrinsic(i)?.readsClock) return true;
  }
  return false;
}

function conditionOf(flow: FlowGraph, block: number): IrValue[] {
  const last = flow.blocks[block]!.instructions.at(-1)!;
  if (last.op === "condbr") return [last.condition];
  return last.op === "switch" ? [last.value] : [];
}

/** The loop's blocks whose branches decide whether an iteration comes to the block. */
function blocksThatLeadTo(flow: FlowGraph, loop: FlowLoop, block: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [block];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    // Blocks from which an iteration may end without it.
    const passing = new Set<number>();
    const work = [loop.latch, ...loop.exits.map(({ from }) => from)];
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      if (b === at || passing.has(b)) continue;
      passing.add(b);
      if (b !== loop.header) work.push(...flow.predecessors[b]!);
    }
    for (const b of passing) {
      if (found.has(b) || !flow.successors[b]!.some((s) => s !== loop.header && loop.blocks.has(s) && !passing.has(s)))
        continue;
      found.add(b);
      open.push(b);
    }
  }
  return found;
}

/** Blocks whose branches decide along which edge a thread comes to a block: those between its dominator and it. */
function decidingBlocks(flow: FlowGraph, block: number): ReadonlySet<number> {
  const top = flow.idom[block]!;
  const found = new Set([top]);
  const work = [...flow.predecessors[block]!];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (found.has(b)) continue;
    found.add(b);
    if (b !== block) work.push(...flow.predecessors[b]!);
  }
  return found;
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
