/**
 * Reads that never come back: `while (...) { n++; ... table[n] }`. A thread that goes through a table does not wait for
 * anybody to change an element, as it reads none of them twice.
 *
 * Used by: the warp tier, whose warps must not wait for memory that others change (waiting-loops.ts).
 */
import { signedValue } from "../../ir/model/build.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type { IrInstruction, IrValue, LoadInstruction, PhiInstruction } from "../../ir/model/ir.ts";
import { dominates, type FlowGraph, type FlowLoop } from "./flow-graph.ts";

/** No two executions of the load in the loop, in whatever iterations, have the same address. */
export function movesOn(flow: FlowGraph, loop: FlowLoop, load: LoadInstruction): boolean {
  const { pointer } = load;
  if (pointer.kind !== "instruction" || pointer.op !== "gep" || isInside(flow, loop, pointer.base)) return false;
  const { terms } = gepOffset(pointer.sourceType, pointer.indices);
  return terms.length === 1 && terms[0]!.scale !== 0 && countsUp(flow, loop, terms[0]!.index, load);
}

/** The index is a variable that each iteration of the innermost loop increases, and that nothing sets back. */
function countsUp(flow: FlowGraph, loop: FlowLoop, index: IrValue, load: LoadInstruction): boolean {
  const at = flow.indexOf.get(load.block)!;
  const inner = flow.loops[flow.loopOf[at]!];
  if (inner === undefined) return false;
  const start = stepOf(index)?.from ?? index;
  if (start.kind !== "instruction" || start.op !== "phi" || start.block !== flow.blocks[inner.header]) return false;
  const latch = flow.blocks[inner.latch]!;
  const next = start.incoming.find(({ block }) => block === latch)!.value;
  if (stepOf(next)?.from !== start) return false;
  const web = webOf(flow, loop, [start, next]);
  // Who leaves the inner loop behind the load must not take the former number along: it would be read again.
  return (
    web !== null &&
    web.every((phi) =>
      phi.incoming.every(({ value, block }) => {
        const from = flow.indexOf.get(block)!;
        const isInFront = from !== at && dominates(flow.idom, from, at);
        return value !== start || !inner.blocks.has(from) || isInFront;
      }),
    )
  );
}

/** What the variable is elsewhere in the loop: phis of itself and of increased forms; null if it may be set anew. */
function webOf(flow: FlowGraph, loop: FlowLoop, members: readonly IrValue[]): readonly PhiInstruction[] | null {
  const phis = new Set<PhiInstruction>();
  const work = [...members];
  const header = flow.blocks[loop.header];
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    if (value.kind !== "instruction" || !isInside(flow, loop, value)) return null;
    if (value.op === "phi") {
      if (phis.has(value)) continue;
      phis.add(value);
      for (const { value: incoming, block } of value.incoming) {
        const isFirst = value.block === header && !loop.blocks.has(flow.indexOf.get(block)!);
        if (!isFirst) work.push(incoming);
      }
    } else {
      const step = stepOf(value);
      if (step === null) return null;
      work.push(step.from);
    }
  }
  return [...phis];
}

/** `from` + a positive constant that does not wrap around. */
function stepOf(value: IrValue): { readonly from: IrValue } | null {
  if (value.kind !== "instruction" || value.op !== "binary" || value.operator !== "add") return null;
  if (!(value.nsw || value.nuw) || value.rhs.kind !== "const-int") return null;
  return signedValue(value.rhs) > 0n ? { from: value.lhs } : null;
}

function isInside(flow: FlowGraph, loop: FlowLoop, value: IrValue): value is IrInstruction {
  return value.kind === "instruction" && loop.blocks.has(flow.indexOf.get(value.block)!);
}
